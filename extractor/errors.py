"""What the operator did wrong. Trouble in analysed code is a `Diagnostic`, never one of these."""

from __future__ import annotations

import errno
import shlex


class ExtractorError(Exception):
    """raisedex cannot go on; the text is one line that says what is wrong and what to do."""


class UnreadableFileError(ExtractorError):
    """A file that the operator named cannot be opened or read."""

    def __init__(self, path: str, error: OSError) -> None:
        self.path = path
        super().__init__(f"cannot read {path!r}: {_advice(error, _READING)}")


class UnwritableFileError(ExtractorError):
    """A file that the operator named cannot be written; what stood there before still does."""

    def __init__(self, path: str, error: OSError) -> None:
        self.path = path
        super().__init__(f"cannot write {path!r}: {_advice(error, _WRITING)}")


class NotACorpusError(ExtractorError):
    """The bytes are cut off, no JSON, or JSON of something else."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{_shown(name)} {reason}; make a corpus with 'raisedex extract'")


class SchemaVersionError(ExtractorError):
    """The corpus was written for another version of the schema."""

    def __init__(self, name: str, found: int, supported: int) -> None:
        self.name, self.found, self.supported = name, found, supported
        remedy = "update raisedex" if found > supported else "extract it again"
        super().__init__(f"{_shown(name)} has schema version {found}, this raisedex reads {supported}; {remedy}")


class MalformedCorpusError(ExtractorError):
    """A field of the corpus is missing or holds what it must not hold."""

    def __init__(self, name: str, field: str, reason: str) -> None:
        self.name, self.field, self.reason = name, field, reason
        super().__init__(f"{_shown(name)}: {field} {reason}; 'raisedex validate' lists all that is wrong")


def _advice(error: OSError, known: dict[int, str]) -> str:
    return known.get(error.errno or 0, f"{(error.strerror or 'input/output error').lower()}; name another file")


_READING = {
    errno.EISDIR: "it is a folder; name a file",
    errno.ENOENT: "there is no such file; check the path",
    errno.ENOTDIR: "a part of the path is no folder; check the path",
    errno.EACCES: "permission denied; change its permissions",
}
_WRITING = {
    errno.EISDIR: "it is a folder; name a file in it",
    errno.ENOENT: "there is no such folder; make it first",
    errno.ENOTDIR: "a part of the path is no folder; check the path",
    errno.EACCES: "permission denied; change the permissions or name another file",
    errno.EROFS: "the file system is read-only; name another file",
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "the disk quota is used up; free some space",
}


def _shown(text: object) -> str:
    """Return the text on one line, with everything unprintable escaped."""
    line = " ".join(str(text).split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)


class UnknownSourceError(ExtractorError):
    """The location is nothing that can be read."""

    def __init__(self, location: str) -> None:
        self.location = location
        super().__init__(
            f"{_shown(location)!r} is no source; name an existing folder, .py file, .tar.gz, .zip or .whl file, "
            "or a release as NAME==VERSION"
        )


class UnreadableSourceError(ExtractorError):
    """The operating system does not let us read the source."""

    def __init__(self, location: str, reason: object) -> None:
        self.location, self.reason = location, reason
        super().__init__(f"cannot read {_shown(location)}: {_shown(reason)}; check the path and its permissions")


class MisplacedOptionError(ExtractorError):
    """An option was given for a kind of source that it does not fit."""

    def __init__(self, option: str, kind: str, wanted: str) -> None:
        self.option, self.kind, self.wanted = option, kind, wanted
        super().__init__(f"{option} does not fit a source of kind {kind}; it is for {wanted}")


class InvalidCommitError(ExtractorError):
    """What was given as a commit is no full commit id."""

    def __init__(self, commit: str) -> None:
        self.commit = commit
        super().__init__(
            f"{_shown(commit)!r} is no commit; give all 40 (or 64) hex digits, as git rev-parse prints them"
        )


class InvalidDigestError(ExtractorError):
    """What was given as a SHA-256 is none."""

    def __init__(self, digest: str) -> None:
        self.digest = digest
        super().__init__(f"{_shown(digest)!r} is no SHA-256; give its 64 hex digits")


class InvalidRepositoryError(ExtractorError):
    """What was given as a repository has no web address."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        super().__init__(f"{_shown(repository)!r} is no repository; give OWNER/NAME or its https address")


class InvalidPatternError(ExtractorError):
    """An include or exclude pattern can match nothing."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(
            f"{_shown(pattern)!r} is no pattern; give a path with *, ? or ** in it, relative to the source"
        )


class GitMissingError(ExtractorError):
    """There is no git program."""

    def __init__(self) -> None:
        super().__init__("git is not installed or not on PATH; install it, or read an archive of the revision")


class NotARepositoryError(ExtractorError):
    """A revision was asked of a folder that no git repository holds."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(f"{_shown(folder)} is in no git repository; leave --rev out, or name a repository")


class UnsafeRepositoryError(ExtractorError):
    """Git does not trust the repository, because someone else owns it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(
            f"git does not trust {_shown(folder)}, which another user owns; if you do, "
            f"run git config --global --add safe.directory {shlex.quote(_shown(folder))}"
        )


class EmptyRepositoryError(ExtractorError):
    """The repository has no commit at all."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        super().__init__(f"{_shown(repository)} has no commits yet; commit something, or read the folder without --rev")


class UnknownRevisionError(ExtractorError):
    """The repository has no such commit, tag or branch."""

    def __init__(self, revision: str, repository: str) -> None:
        self.revision, self.repository = revision, repository
        super().__init__(f"no revision {_shown(revision)!r} in {_shown(repository)}; fetch it first")


class MissingTreeError(ExtractorError):
    """The repository is a clone without the revision's folders."""

    def __init__(self, revision: str, repository: str) -> None:
        self.revision, self.repository = revision, repository
        super().__init__(f"the folders of revision {revision!r} are not in {_shown(repository)}; fetch them first")


class NotACommitError(ExtractorError):
    """The revision is a file or folder of the repository."""

    def __init__(self, revision: str, repository: str) -> None:
        self.revision, self.repository = revision, repository
        super().__init__(f"{revision!r} is no commit of {_shown(repository)}; name a branch, a tag or a commit")


class FolderNotInRevisionError(ExtractorError):
    """The folder that was named as the source is not in the revision."""

    def __init__(self, folder: str, revision: str) -> None:
        self.folder, self.revision = folder, revision
        super().__init__(
            f"revision {_shown(revision)!r} has no folder {_shown(folder)!r}; name another revision or folder"
        )


class GitFailedError(ExtractorError):
    """Git gave up on something that should work."""

    def __init__(self, command: str, repository: str, reason: str) -> None:
        self.command, self.repository, self.reason = command, repository, reason
        super().__init__(f"git {command} failed in {_shown(repository)}: {_shown(reason)}; run git fsck there")


class DamagedArchiveError(ExtractorError):
    """The archive is truncated, corrupt, or no archive."""

    def __init__(self, archive: str, reason: object) -> None:
        self.archive, self.reason = archive, reason
        super().__init__(f"{_shown(archive)} is damaged or no archive: {_shown(reason)}; get it again")


class ArchiveLimitError(ExtractorError):
    """The archive holds more than we are willing to read."""

    def __init__(self, archive: str, limit: str) -> None:
        self.archive, self.limit = archive, limit
        super().__init__(f"{_shown(archive)} holds more than {limit}; unpack it yourself and read the folder")


class DigestMismatchError(ExtractorError):
    """The bytes are not those that were asked for."""

    def __init__(self, file: str, algorithm: str, expected: str, actual: str) -> None:
        self.file, self.algorithm, self.expected, self.actual = file, algorithm, expected, actual
        super().__init__(
            f"{_shown(file)} has {algorithm} {actual}, not {expected}; get the right file, or correct the digest"
        )


# What each extra is for.
_PURPOSES = {
    "cluster": "running on a Dask cluster",
    "releases": "reading a release from a package index",
    "validate": "validating a corpus",
}


class MissingExtraError(ExtractorError):
    """An optional library is not installed."""

    def __init__(self, extra: str) -> None:
        self.extra = extra
        purpose = _PURPOSES.get(extra, extra)
        super().__init__(f'{purpose} needs libraries that are not installed; pip install "raisedex[{extra}]"')


class PipConfigurationError(ExtractorError):
    """What pip is configured with cannot be understood."""

    def __init__(self, origin: str, reason: object) -> None:
        self.origin, self.reason = origin, reason
        super().__init__(f"cannot use pip's configuration from {_shown(origin)}: {_shown(reason)}; correct it")


class NoIndexError(ExtractorError):
    """Pip is configured to use no package index."""

    def __init__(self) -> None:
        super().__init__("pip is configured with no-index; unset it, or read the downloaded archive")


class UntrustedIndexError(ExtractorError):
    """A package index is reached without encryption and not declared trusted."""

    def __init__(self, index: str) -> None:
        self.index = index
        super().__init__(f"{_shown(index)} is neither encrypted nor trusted; use https, or pip's trusted-host option")


class UnreachableIndexError(ExtractorError):
    """A package index gave no usable answer."""

    def __init__(self, index: str, reason: str) -> None:
        self.index, self.reason = index, reason
        super().__init__(
            f"no answer from the index {_shown(index)}: {_shown(reason)}; check pip's index-url, proxy and cert"
        )


class InvalidReleaseError(ExtractorError):
    """What stands behind NAME== is no version."""

    def __init__(self, release: str) -> None:
        self.release = release
        super().__init__(f"{_shown(release)!r} names no release; give one exact version, as NAME==1.2.3")


class UnknownProjectError(ExtractorError):
    """No configured package index has the project."""

    def __init__(self, project: str, indexes: tuple[str, ...]) -> None:
        self.project, self.indexes = project, indexes
        super().__init__(
            f"no project {_shown(project)!r} in {_shown(', '.join(indexes))}; check the name and pip's index-url"
        )


class UnknownVersionError(ExtractorError):
    """The project has no such version."""

    def __init__(self, project: str, version: str, near: tuple[str, ...]) -> None:
        self.project, self.version, self.near = project, version, near
        others = f"it has {', '.join(near)}" if near else "it has no source archive or wheel at all"
        super().__init__(f"no version {_shown(version)} of {_shown(project)}; {_shown(others)}")


class OtherReleaseError(ExtractorError):
    """The pinned archive is one of another release."""

    def __init__(self, release: str, found: str, digest: str) -> None:
        self.release, self.found, self.digest = release, found, digest
        super().__init__(
            f"the archive with SHA-256 {digest} is {_shown(found)}, not {_shown(release)}; correct one of them"
        )


class UnhashedReleaseError(ExtractorError):
    """The index states no digest, so the download cannot be checked."""

    def __init__(self, file: str) -> None:
        self.file = file
        super().__init__(f"the index states no SHA-256 or better for {_shown(file)}; give it with --sha256")


class CacheFolderError(ExtractorError):
    """The cache folder cannot be used."""

    def __init__(self, folder: str, reason: object) -> None:
        self.folder, self.reason = folder, reason
        super().__init__(
            f"cannot keep files in {_shown(folder)}: {_shown(reason)}; set RAISEDEX_CACHE_DIR to another folder"
        )


class UnknownExceptionError(ExtractorError):
    """`--exception` names a class that nothing raises."""

    def __init__(self, exception: str, suggestion: str | None) -> None:
        self.exception, self.suggestion = exception, suggestion
        advice = f"did you mean {suggestion}?" if suggestion else "give its name or its dotted name as in a traceback"
        super().__init__(f"no exception class {exception!r} is raised here; {advice}")


class UnusableExecutorError(ExtractorError):
    """`--executor` names nothing that work can be given to."""

    def __init__(self, executor: str, reason: object) -> None:
        self.executor, self.reason = executor, reason
        super().__init__(
            f"cannot run on {_shown(executor)!r}: {_shown(reason)}; give dask: and the address of a scheduler that runs"
        )


class LostExecutorError(ExtractorError):
    """An executor does not do the work that it was given."""

    def __init__(self, reason: object) -> None:
        self.reason = reason
        super().__init__(f"the executor is lost: {_shown(reason)}; see that it runs, and do this again")


class OtherWorkersError(ExtractorError):
    """What the workers of an executor have is not what this process has, so they might find something else."""

    def __init__(self, theirs: str, ours: str) -> None:
        self.theirs, self.ours = theirs, ours
        super().__init__(f"the workers have {_shown(theirs)}, not {_shown(ours)} as here; install the same there")


class InvalidListError(ExtractorError):
    """A line of a list of projects names none."""

    def __init__(self, name: str, line: int, text: str) -> None:
        self.name, self.line, self.text = name, line, text
        super().__init__(
            f"line {line} of {_shown(name)}, {_shown(text)!r}, is no project; "
            "give NAME==VERSION, a path, or repository@revision"
        )
