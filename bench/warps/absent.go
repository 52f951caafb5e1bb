//go:build !cgo || !linux

// Command warps needs cgo and Linux; see main.go.
package main

import "fmt"

func main() { fmt.Println("NOT RUN: the figures of warps, which need Linux and cgo") }
