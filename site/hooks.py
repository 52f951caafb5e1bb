"""Adds to the site what pages of docs link to outside of docs: README.md, CHANGELOG.md, and sources.

A source is a page with the text of a file, the documentation of a Go package, or links to the files of an example.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
SITE_PAGES = {"README.md": "readme.md", "CHANGELOG.md": "changelog.md"}
ASSETS = {"style.css": "site/style.css", "icon.svg": "site/icon.svg"}
# The explorer without a server is beside the pages: scripts/explorer-wasm.sh builds it, and no page of the repository has it.
WITH_EXPLORER = ("index.md", "explorer.md")
EXPLORER = '<p><a class="md-button md-button--primary" href="try/index.html">Try it here, in this browser</a></p>\n'
# A link or a picture of Markdown. A fence is matched first, so that links in code are left alone.
LINK = re.compile(r"(?P<code>^ *```.*?^ *```|`[^`\n]*`)|(?P<text>\]\()(?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)", re.M | re.S)
# The language of a block with the name of its file behind it.
NAMED_FENCE = re.compile(r"^```(\w+) ([\w./-]+)$", re.M)
LANGUAGES = {".go": "go", ".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".json": "json", ".cu": "c++"}


def _repository_path(page: str, path: str) -> str:
    """Returns the path below the root of what a page of the repository links to."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    if found.startswith("..") or not (ROOT / found).exists():
        raise PluginError(f"{page} links to {path}, which is not there")
    return found


def _site_path(path: str) -> str:
    """Returns the path on the site of a file of the repository."""
    if path in SITE_PAGES:
        return SITE_PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"source/{path}.md"


def _links(page: str, text: str) -> list[str]:
    return [_repository_path(page, m["path"]) for m in LINK.finditer(text) if not m["code"]]


def _with_site_links(page: str, text: str) -> str:
    here = posixpath.dirname(_site_path(page))

    def replaced(m: re.Match[str]) -> str:
        if m["code"]:
            return m[0]
        target = posixpath.relpath(_site_path(_repository_path(page, m["path"])), here or ".")
        return f"{m['text']}{target}{m['anchor'] or ''})"

    return LINK.sub(replaced, text)


def _source(path: str, shown: set[str]) -> str:
    """Returns the page of a file or folder, and adds the files to which it links."""
    front = "---\nsearch:\n  boost: 0.2\n---\n"
    full = ROOT / path
    if full.is_file():
        text = full.read_text()
        fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`{3,}", text)])
        return f"{front}# {path}\n\n{fence}{LANGUAGES.get(full.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"
    page = f"{front}# {path}\n\n"
    folders = [file.name for file in sorted(full.iterdir()) if file.is_dir() and any(file.glob("*.go"))]
    if folders:
        page += "Folders: " + ", ".join(f"`{name}`" for name in folders) + "\n\n"
    if (full / "go.mod").exists() or path.startswith("examples/"):
        for file in sorted(full.iterdir()):
            if file.suffix in LANGUAGES and "_generated" not in file.name:
                shown.add(f"{path}/{file.name}")
                page += f"- [{file.name}]({full.name}/{file.name}.md)\n"
    elif any(not file.name.endswith("_test.go") for file in full.glob("*.go")):
        told = subprocess.run(["go", "doc", "./" + path], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        page += f"The documentation of the package, as `go doc ./{path}` prints it:\n\n```text\n{told.rstrip()}\n```\n"
    return page


def on_files(files, config):
    for name, path in ASSETS.items():
        files.append(File.generated(config, f"assets/{name}", content=(ROOT / path).read_bytes()))
    pages = sorted("docs/" + file.src_uri for file in files.documentation_pages()) + list(SITE_PAGES)
    linked: set[str] = set()
    for page in pages:
        text = (ROOT / page).read_text()
        linked.update(path for path in _links(page, text) if _site_path(path).startswith("source/"))
        if page in SITE_PAGES:
            files.append(File.generated(config, SITE_PAGES[page], content=text))
    for path in sorted(linked):
        shown = {path}
        content = {path: _source(path, shown)}
        content.update({file: _source(file, set()) for file in shown if file != path})
        for file, text in sorted(content.items()):
            if files.get_file_from_path(_site_path(file)) is None:
                added = File.generated(config, _site_path(file), content=text)
                added.inclusion = added.inclusion.NOT_IN_NAV
                files.append(added)
    return files


def on_page_markdown(markdown, page, **_):
    uri = page.file.src_uri
    if uri in WITH_EXPLORER:
        title, rest = markdown.split("\n", 1)
        markdown = f"{title}\n\n{EXPLORER}\n{rest}"
    if not uri.startswith("source/"):
        repository = {site: path for path, site in SITE_PAGES.items()}.get(uri, "docs/" + uri)
        markdown = _with_site_links(repository, markdown)
    return NAMED_FENCE.sub(r'```\1 title="\2"', markdown)
