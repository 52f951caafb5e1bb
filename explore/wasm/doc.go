//go:build !(js && wasm)

// Command wasm is the explorer without a server. It is built for GOOS=js GOARCH=wasm alone: scripts/explorer-wasm.sh.
package main

import "os"

func main() {
	os.Stderr.WriteString("this program runs in a browser: scripts/explorer-wasm.sh builds it\n")
	os.Exit(1)
}
