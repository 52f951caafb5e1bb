// Package race proves that the items of a phase, and the threads of a thread kernel, do not touch each other's
// elements.
//
// The proof looks at index expressions alone. Two accesses to an array, one of them a write, must be at different
// elements for any two different items. That holds where in some dimension
//
//   - both indices are s*item + u + r, with the same factor s and the same u for all items, and r in a range shorter
//     than s: the item's own element a[i], a[base+i], or its own row a[i][k], a[(base+i)*stride+k] with k < stride; or
//   - both indices are the same for all items, and never equal: the halves of a double buffer p[cur] and p[1-cur].
//
// The proof assumes that a factor or stride that is a variable is positive and that no index overflows. What groups do
// to each other's elements is left to the instrumented twin.
package race

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// Program looks for races in all kernels of a program. The result is sorted.
func Program(program *source.Program) source.Diagnostics {
	var diagnostics source.Diagnostics
	for _, p := range program.Packages {
		for _, k := range p.Kernels {
			diagnostics = append(diagnostics, kernelRaces(program, k)...)
		}
	}
	diagnostics.Sort()
	return diagnostics
}

func kernelRaces(program *source.Program, k *source.Kernel) source.Diagnostics {
	var diagnostics source.Diagnostics
	if !k.Group {
		diagnostics = phaseRaces(program, k, k.Declaration.Body, k.Index)
	} else {
		ast.Inspect(k.Declaration.Body, func(node ast.Node) bool {
			loop, ok := node.(*ast.RangeStmt)
			if !ok {
				return true
			}
			each := source.Phase(k.Info, loop)
			if each == nil {
				return true
			}
			if value := k.Info.Types[each.Args[0]].Value; value != nil && value.ExactString() == "1" {
				return false // one item is alone
			}
			var variable types.Object
			if name, ok := loop.Key.(*ast.Ident); ok {
				variable = k.Info.Defs[name]
			}
			diagnostics = append(diagnostics, phaseRaces(program, k, loop.Body, variable)...)
			return false
		})
	}
	switch {
	case k.Unproven && len(diagnostics) == 0:
		return source.Diagnostics{{
			Position: program.Fset.Position(k.Declaration.Pos()), Rule: "race",
			Message: fmt.Sprintf("%s is proven free of races (leave //kernel:unproven out)", k.Object.Name()),
		}}
	case k.Unproven:
		return nil
	}
	return diagnostics
}

// phaseRaces looks for races of one phase, at most one for each array.
func phaseRaces(
	program *source.Program, k *source.Kernel, body *ast.BlockStmt, variable types.Object,
) source.Diagnostics {
	p := &phase{program: program, kernel: k, body: body, atoms: newAtomTable(), seen: map[string]bool{}}
	outer := p.enter(k.Function)
	if variable != nil {
		outer.values[variable] = index{single(item), true}
	}
	outer.statements(body)

	var diagnostics source.Diagnostics
	refuse := func(at *access, format string, arguments ...any) {
		diagnostics = append(diagnostics, source.Diagnostic{
			Position: program.Fset.Position(at.node.Pos()), Rule: "race", Message: fmt.Sprintf(format, arguments...) +
				" (an item's own element or row, or the other half of a double buffer; " +
				"else //kernel:unproven, and tests with the twin)",
		})
	}
	if len(p.accesses) > maxAccesses {
		refuse(&p.accesses[0], "the phase is too large for a proof")
		return diagnostics
	}
	refused := map[*types.Var]bool{}
	for i := range p.accesses {
		write := &p.accesses[i]
		if write.mode == reads || refused[write.root] {
			continue
		}
		for j := range p.accesses {
			other := &p.accesses[j]
			if other.root != write.root || other.mode == write.mode && (j < i || write.mode != writes) ||
				p.distinct(write, other) {
				continue
			}
			refused[write.root] = true
			if i == j {
				refuse(write, "several items may touch the element of %s that is %s here as %s",
					write.root.Name(), write.mode, text(write))
				break
			}
			refuse(write, "several items may touch the element of %s that is %s here as %s and %s at %s as %s",
				write.root.Name(), write.mode, text(write), other.mode, position(program, other), text(other))
			break
		}
	}
	return diagnostics
}

// text returns the source of an access.
func text(a *access) string { return types.ExprString(a.node) }

func position(program *source.Program, a *access) string {
	at := program.Position(a.in, a.node.Pos())
	return at.Filename + ":" + strconv.Itoa(at.Line)
}

// objectKey names a variable for the table of atoms.
func objectKey(object types.Object) string {
	return object.Name() + "@" + strconv.Itoa(int(object.Pos()-token.NoPos))
}

// distinct says whether two accesses of different items are proven to be at different elements.
func (p *phase) distinct(a, b *access) bool {
	for dimension := range min(len(a.indices), len(b.indices)) {
		left, right := a.indices[dimension], b.indices[dimension]
		if !left.known || !right.known {
			continue
		}
		other, ok := p.atoms.apart(right.value)
		if ok && (p.own(left.value, other) || p.neverEqual(left.value, other)) {
			return true
		}
	}
	return false
}

// own says whether left of one item and right of another always differ because each is in the item's own part.
func (p *phase) own(left, right polynomial) bool {
	scale, leftRest, ok := left.split()
	otherScale, rightRest, alsoOK := right.split()
	if !ok || !alsoOK || len(scale) == 0 || !scale.equal(otherScale) || !p.atoms.isUniform(scale) {
		return false
	}
	if negative(scale) {
		if scale, ok = polynomial(nil).plus(scale, -1); !ok {
			return false
		}
	}
	difference, ok := leftRest.plus(rightRest, -1)
	if !ok {
		return false
	}
	for _, sign := range []int64{1, -1} {
		// scale - 1 - |difference| >= 0
		room, ok := scale.plus(difference, -sign)
		if !ok {
			return false
		}
		if room, ok = room.plus(number(1), -1); !ok || !p.atoms.atLeastZero(room, scale) {
			return false
		}
	}
	return true
}

// negative says whether every coefficient is.
func negative(p polynomial) bool {
	for _, m := range p {
		if m.coefficient > 0 {
			return false
		}
	}
	return len(p) > 0
}

// neverEqual says whether two indices that do not depend on the item always differ.
func (p *phase) neverEqual(left, right polynomial) bool {
	difference, ok := left.plus(right, -1)
	if !ok || dependsOnItem(left) || dependsOnItem(right) {
		return false
	}
	if p.atoms.isUniform(difference) && difference[""].coefficient%2 != 0 && evenBeside(difference) {
		return true // odd, hence not zero
	}
	for _, sign := range []int64{1, -1} {
		above, ok := number(-1).plus(difference, sign)
		if ok && p.atoms.atLeastZero(above, nil) {
			return true
		}
	}
	return false
}

func dependsOnItem(p polynomial) bool {
	scale, _, ok := p.split()
	return !ok || len(scale) > 0
}

// evenBeside says whether all coefficients but the constant are even.
func evenBeside(p polynomial) bool {
	for key, m := range p {
		if key != "" && m.coefficient%2 != 0 {
			return false
		}
	}
	return true
}
