package seeds

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// ErrBound is recorded if Set or SetIDs would write seeds that belong to the caller.
var ErrBound = errors.New("the seeds are bound to the caller's array, which the state never writes")

// State holds the key of every generation: a seed and an epoch per env. The state owns the epochs, which are initially
// zero and change only on the device. One goroutine at a time uses a State.
type State struct {
	batch
	epoch exec.Array[int32]
}

// New returns the state of a batch of envs (1 to MaxEnvs). It allocates and waits, so it returns an error while a
// stream that it uses is being captured.
//
// It returns a *backend.ArgumentError for an invalid number of envs, length or combination of options,
// exec.ErrDeviceMismatch for an array or stream of another device, exec.ErrCapture, or an error of the backend.
func New(device backend.Device, envs int, options Options) (*State, error) {
	b, err := newBatch("new seed state", device, envs, options)
	if err != nil {
		return nil, err
	}
	epoch, err := exec.NewArray[int32](device, envs)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return &State{batch: b, epoch: epoch}, nil
}

// Close releases the arrays that the state owns; bound seeds stay open. Closing twice does nothing.
func (s *State) Close() error {
	return errors.Join(s.close(), s.epoch.Close())
}

// Epoch returns the epochs, one per env.
func (s *State) Epoch() exec.Array[int32] { return s.epoch }

// Effective writes the effective seed of every env to out, one int32 per env: one launch.
func (s *State) Effective(lc *exec.LaunchContext, out exec.Array[int32]) {
	if s.accept(lc, "effective seeds", "out", out) {
		seeding.Effective(lc, s.envs, s.seeds, s.epoch, out)
	}
}

// EffectiveMasked rewrites out for the envs whose mask is not 0. The others keep the effective seed from which their
// current output was made (R109): one launch.
func (s *State) EffectiveMasked(lc *exec.LaunchContext, out, mask exec.Array[int32]) {
	const op = "masked effective seeds"
	if s.accept(lc, op, "out", out) && s.accept(lc, op, "mask", mask) {
		seeding.EffectiveMasked(lc, s.envs, s.seeds, s.epoch, mask, out)
	}
}

// Advance begins the next epoch of every env: one launch. Every replay advances again. After 2^31-1 comes -2^31.
func (s *State) Advance(lc *exec.LaunchContext) {
	seeding.Advance(lc, s.envs, s.epoch)
}

// AdvanceMasked begins the next epoch of the envs whose mask is not 0: one launch.
func (s *State) AdvanceMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if s.accept(lc, "advance epochs", "mask", mask) {
		seeding.AdvanceMasked(lc, s.envs, mask, s.epoch)
	}
}

// ResetEpoch sets every env to epoch 0: one operation.
func (s *State) ResetEpoch(lc *exec.LaunchContext) {
	exec.Fill(lc, s.epoch, 0)
}

// ResetEpochMasked sets the envs whose mask is not 0 to epoch 0: one launch.
func (s *State) ResetEpochMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if s.accept(lc, "reset epochs", "mask", mask) {
		seeding.ResetMasked(lc, s.envs, mask, s.epoch)
	}
}

// Set replaces all seeds by values, one per env, and sets every env to epoch 0. It records ErrBound if the seeds are
// bound.
func (s *State) Set(lc *exec.LaunchContext, values exec.Array[int32]) {
	const op = "set seeds"
	if s.refuseBound(lc) || !s.accept(lc, op, "values", values) {
		return
	}
	exec.Copy(lc, s.seeds, values)
	exec.Fill(lc, s.epoch, 0)
}

// SetIDs sets the seed of env ids[k] to values[k] and its epoch to 0: two launches. Among duplicate ids, the highest
// position wins. Ids that name no env are ignored, because the host cannot read them. It records ErrBound if the seeds
// are bound.
func (s *State) SetIDs(lc *exec.LaunchContext, ids, values exec.Array[int32]) {
	if s.refuseBound(lc) || !s.acceptIDs(lc, "set seeds by id", ids, values) {
		return
	}
	seeding.Claim(lc, ids.Len(), ids, s.winner)
	seeding.AssignSeeds(lc, s.envs, values, s.winner, s.seeds, s.epoch)
}

func (s *State) refuseBound(lc *exec.LaunchContext) bool {
	if s.bound {
		lc.Fail(ErrBound)
	}
	return s.bound
}
