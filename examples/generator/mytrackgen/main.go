// Mytrackgen is the command trackgen with the generator waves of this module in every command.
package main

import (
	"log"

	"example.com/generator"
	"github.com/trackgen-go/trackgen/command"
)

func main() {
	if err := generator.Register("waves", generator.Defaults); err != nil {
		log.Fatal(err)
	}
	command.Main()
}
