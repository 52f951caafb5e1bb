package names

//kernel:thread
func one(i int32, x []int32) { x[i] = 1 }

func OneDef() {} // want "name: the generated code needs the name OneDef for kernel oneDef .rename OneDef."

func oneTwin() {} // want "name"

type exec struct{ x int32 } // want "name: the generated code needs the name exec for an import"

const shaders = 1 // want "name: the generated code needs the name shaders for an import"

func kernelPTX() {} // want "name: the generated code needs the name kernelPTX for the CUDA module"

//kernel:thread
func defs(i int32, x []int32) { x[i] = 1 } // want "name: the generated code needs the name Defs for the list of kernels .rename defs."

//kernel:thread
func oneDef(i int32, x []int32) { x[i] = 1 } // want "name: the generated code needs the name OneDef for kernel one .rename oneDef."

//kernel:thread
func wide(i int32, a, b, c, d, e, f, x []int32) { x[i] = 1 }

type WideArgs struct{} // want "name: the generated code needs the name WideArgs for kernel wide .rename WideArgs."

type OneArgs struct{}

const nil = 1 // want "name: the generated code needs the name nil for what Go declares under it"

//kernel:thread
func aux(i int32, x []int32) { x[i] = 1 } // want "name: the shader of kernel aux would be a file"

//kernel:thread
func kernelxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx(i int32, x []int32) { // want "name: the name of kernel kernelx* has 106 bytes, and its shader is a file of that name .at most 100."
	x[i] = 1
}
