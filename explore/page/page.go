// Package page holds the files of the explorer's page: HTML, styles and JavaScript modules without a framework. They
// are written as they are served, so that a reader finds in the browser what is in the repository.
//
// The modules have types in JSDoc comments, which the TypeScript compiler checks (make explore). world.js is the only
// one that knows who answers: it has a class with one method, call, which sends a request and yields frames. Another
// class with the same method, for example around a WebAssembly build of package world, can take its place.
package page

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed index.html *.css *.js *.svg
var files embed.FS

// Index is the name of the page itself.
const Index = "index.html"

// File is a file of the page.
type File struct {
	Type string // media type
	Text []byte
}

// types are the media types by extension.
var types = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Files returns all files by name.
func Files() map[string]File {
	all := make(map[string]File)
	names, _ := fs.ReadDir(files, ".") // the embedded folder exists
	for _, entry := range names {
		text, _ := files.ReadFile(entry.Name()) // it was listed
		all[entry.Name()] = File{Type: types[path.Ext(entry.Name())], Text: text}
	}
	return all
}
