//go:build slow

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

// TestRandomKernelsNoticeMistakesSlow makes mistakes in every translation.
func TestRandomKernelsNoticeMistakesSlow(t *testing.T) {
	tools := compilers(t)
	require.NotEmpty(t, vulkanLegs(t), "there is no Vulkan")
	device, err := backend.Open("vulkan:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	shader := func(name string, mutation func(string) string) random.Leg {
		return random.Vulkan(name, device, tools, mutation)
	}
	legs := append(hostMistakes(),
		random.Host("fused products", nil, "-march=native", "-ffp-contract=fast"),
		random.Host("continue leaves the loop", replaced("continue;", "break;")),
		random.Host("no barrier after a read", rewritten(`;\n\t*KG_BARRIER\(\);`, ";"), fibres...),
	)
	requireNoticed(t, 1000, 96, legs)
	// What a compiler knows of a float, such as a zero, shows in one program of several hundreds; in two of these.
	requireNoticed(t, 1700, 96, []random.Leg{
		shader("floats that compilers know",
			replaced("return uintBitsToFloat(floatBitsToUint(x) | floatBitsToUint(kg_zero));", "return x;")),
		shader("conversions that compilers know", rewritten(`kg_hidden\((float|kg_from_uint)\(`, "(float(")),
		shader("quotients by the reciprocal", replaced("return x / y;", "return x * (1.0 / y);")),
		shader("no barriers in shaders", replaced("KG_BARRIER();", "")),
	})
}
