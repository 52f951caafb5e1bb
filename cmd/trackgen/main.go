// Trackgen generates batches of race tracks, draws them and lists the devices that can make them. See trackgen --help.
package main

import "github.com/trackgen-go/trackgen/command"

func main() { command.Main() }
