// Package relaxation holds the kernels that push a centreline apart and round it until a road of constant width fits.
//
// The solver is position based: Jacobi sweeps of separation, spacing and bending corrections, accelerated by a
// Chebyshev semi-iterative method, then Taubin smoothing and spacing-only sweeps (docs/spec/pipeline.md, section 6).
// All sweeps of an env run in one launch, one group per env.
package relaxation
