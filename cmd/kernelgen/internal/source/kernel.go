package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Limits of the lanes directive: a GPU of either kind runs as many lanes as one workgroup.
const (
	defaultLanes = 128
	maxLanes     = 1024
)

const directivePrefix = "//kernel:"

// nearDirective matches a directive that is written as a comment, with a blank before it or between other signs. It is
// refused, because otherwise the file would have no kernel and the generated files would be removed.
var nearDirective = regexp.MustCompile(
	`^(?://[ \t]+|/\*[ \t]*)kernel:(thread|group|unproven|scalar|iterations|nolauncher|nodevice)\b`)

// directives yields the //kernel: comments of a comment group with the text after the colon.
func directives(group *ast.CommentGroup) iter.Seq2[*ast.Comment, string] {
	return func(yield func(*ast.Comment, string) bool) {
		if group == nil {
			return
		}
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, directivePrefix)
			if ok && !yield(comment, strings.TrimSpace(text)) {
				return
			}
		}
	}
}

func hasDirective(group *ast.CommentGroup) bool {
	for range directives(group) {
		return true
	}
	return false
}

type reporter func(pos token.Pos, rule, format string, arguments ...any)

// newKernel reads the directives and the signature of a kernel. It reports what is wrong and then returns nil.
func newKernel(function *Function, report reporter) *Kernel {
	k := &Kernel{Function: function}
	directed, signed := k.readDirectives(report), k.readSignature(report)
	if !directed || !signed || !k.checkIterations(report) {
		return nil
	}
	return k
}

func (k *Kernel) readDirectives(report reporter) bool {
	ok, kinds := true, 0
	for comment, text := range directives(k.Declaration.Doc) {
		fields := strings.Fields(text)
		if len(fields) == 0 {
			fields = []string{""}
		}
		switch {
		case fields[0] == "thread" && len(fields) == 1:
			kinds++
		case fields[0] == "group" && len(fields) <= 2:
			kinds++
			k.Group, k.Lanes = true, defaultLanes
			if len(fields) == 1 {
				continue
			}
			value, found := strings.CutPrefix(fields[1], "lanes=")
			lanes, err := strconv.ParseInt(value, 10, 32)
			if !found || err != nil || lanes < 1 || lanes > maxLanes {
				report(comment.Pos(), "directive", "%q is no number of lanes (lanes=1 to lanes=%d)", fields[1],
					maxLanes)
				ok = false
			}
			k.Lanes = int32(lanes)
		case fields[0] == "unproven" && len(fields) == 1:
			k.Unproven = true
		case fields[0] == "scalar" && len(fields) == 1:
			k.Scalar = true
		case fields[0] == "iterations":
			ok = k.readIterations(comment.Pos(), strings.Join(fields[1:], " "), report) && ok
		default:
			report(comment.Pos(), "directive",
				"unknown directive //kernel:%s (//kernel:thread, //kernel:group lanes=N, //kernel:iterations N, "+
					"//kernel:scalar and //kernel:unproven are known)", text)
			ok = false
		}
	}
	if kinds != 1 {
		report(k.Declaration.Pos(), "directive",
			"%s has %d of the directives //kernel:thread and //kernel:group (exactly one)",
			k.Object.Name(), kinds)
		return false
	}
	return ok
}

func (k *Kernel) readSignature(report reporter) bool {
	ok := true
	refuse := func(pos token.Pos, rule, format string, arguments ...any) {
		report(pos, rule, format, arguments...)
		ok = false
	}
	declaration, signature := k.Declaration, k.Signature()
	name := k.Object.Name()
	if declaration.Body == nil {
		refuse(declaration.Pos(), "kernel", "%s has no body (a kernel is written in Go)", name)
	}
	if LauncherName(name) == name {
		refuse(declaration.Name.Pos(), "kernel",
			"%s is exported or cannot be (begin with a lower-case letter: the launcher takes the exported name)", name)
	}
	if signature.Recv() != nil || signature.TypeParams() != nil || signature.Variadic() {
		refuse(declaration.Pos(), "kernel", "%s is a method, generic or variadic (a kernel is a plain function)", name)
		return false
	}
	if signature.Results().Len() != 0 {
		refuse(declaration.Type.Results.Pos(), "kernel", "%s returns values (a kernel writes its results to slices)",
			name)
	}
	if signature.Params().Len() == 0 {
		refuse(declaration.Pos(), "kernel", "%s has no parameters (%s first)", name, k.indexType())
		return false
	}
	k.Index = signature.Params().At(0)
	if !k.isIndex(k.Index.Type()) {
		refuse(k.Index.Pos(), "kernel", "the first parameter of %s is of type %s (%s)", name, k.Index.Type(),
			k.indexType())
	}
	k.readParams(refuse)
	return ok
}

// readParams reads the parameters behind the index or group.
func (k *Kernel) readParams(refuse reporter) {
	declaration, signature := k.Declaration, k.Signature()
	name := k.Object.Name()
	buffers, scalars := 0, 0
	for i := 1; i < signature.Params().Len(); i++ {
		variable := signature.Params().At(i)
		param := Param{Object: variable}
		element := variable.Type()
		if slice, isSlice := types.Unalias(element).(*types.Slice); isSlice {
			param.Buffer = true
			element = slice.Elem()
		}
		var known bool
		param.Type, known = elementType(element)
		if !known || !param.Buffer && param.Type > kernel.Float32 {
			refuse(variable.Pos(), "kernel",
				"parameter %s is of type %s (slices of int32, uint32, float32, kernel.Vec2, Vec3 and Quat, "+
					"and scalars int32, uint32 and float32)",
				variable.Name(), variable.Type())
		}
		if variable.Name() == "" || variable.Name() == "_" {
			refuse(variable.Pos(), "kernel",
				"parameter %d of %s has no name (name every parameter: the launcher does too)", i, name)
		}
		if param.Buffer {
			buffers++
		} else {
			scalars++
		}
		k.Params = append(k.Params, param)
	}
	if buffers > kernel.MaxBuffers {
		refuse(declaration.Pos(), "limit", "%s takes %d slices (at most %d)", name, buffers, kernel.MaxBuffers)
	}
	if scalars > kernel.MaxScalars {
		refuse(declaration.Pos(), "limit", "%s takes %d scalars (at most %d)", name, scalars, kernel.MaxScalars)
	}
}

func (k *Kernel) indexType() string {
	if k.Group {
		return "a group kernel takes a kernel.Group"
	}
	return "a thread kernel takes its int32 index"
}

func (k *Kernel) isIndex(t types.Type) bool {
	if k.Group {
		return IsNamed(t, "Group")
	}
	basic, ok := types.Unalias(t).(*types.Basic)
	return ok && basic.Kind() == types.Int32
}

// IsNamed says whether t is the type of that name in package kernel.
func IsNamed(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && IsVocabulary(named.Obj().Pkg()) && named.Obj().Name() == name
}

// elementType returns the type of a kernel parameter.
func elementType(t types.Type) (kernel.Type, bool) {
	if basic, ok := types.Unalias(t).(*types.Basic); ok {
		switch basic.Kind() {
		case types.Int32:
			return kernel.Int32, true
		case types.Uint32:
			return kernel.Uint32, true
		case types.Float32:
			return kernel.Float32, true
		}
		return 0, false
	}
	for name, vector := range map[string]kernel.Type{"Vec2": kernel.TypeVec2, "Vec3": kernel.TypeVec3,
		"Quat": kernel.TypeQuat} {
		if IsNamed(t, name) {
			return vector, true
		}
	}
	return 0, false
}
