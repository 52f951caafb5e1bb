//kernel:nodevice
package user

import _ "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func one(i int32, x []int32) { x[i] = 1 }

//kernel:thread
func seven(i int32, a, b, c, d, e, f, x []int32) { x[i] = 1 }

var all = Defs

func use() {
	_ = OneDef
	Seven(nil, 1, SevenArgs{})
}
