//go:build !cgo || !linux

// Package emulator needs cgo and Linux; see emulator.go.
package emulator
