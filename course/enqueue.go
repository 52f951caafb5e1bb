package course

import "github.com/trackgen-go/trackgen/exec"

// EnqueueStep emits one Step on lc without any policy, for callers that record it as a part of their own work.
func (c *Course) EnqueueStep(lc *exec.LaunchContext) {
	const op = "enqueue step"
	err := c.open(op)
	if err == nil {
		err = c.checkBound(op)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	c.component.Recorded(lc)
	c.tools.step(lc, c.inputs)
}

// EnqueueReset emits one Reset on lc without any policy.
func (c *Course) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := c.open(op)
	if err == nil {
		mask, err = c.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	c.tools.reset(lc, mask)
}

// EnqueueGenerate emits one Generate on lc without any policy.
func (c *Course) EnqueueGenerate(lc *exec.LaunchContext) {
	if err := c.ready("enqueue generate"); err != nil {
		lc.Fail(err)
		return
	}
	c.generator.Enqueue(lc)
}

// EnqueueRegenerate emits one Regenerate on lc without any policy.
func (c *Course) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption) {
	const op = "enqueue regenerate"
	err := c.ready(op)
	if err == nil {
		_, err = c.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	c.generator.EnqueueRegenerate(lc, mask, options...)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (c *Course) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := c.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	c.component.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (c *Course) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := c.open(op); err != nil {
		lc.Fail(err)
		return
	}
	c.component.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one Refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (c *Course) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := c.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	c.component.EnqueueEnvs(lc, list)
}
