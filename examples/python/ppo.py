"""Teaches a car to race, with PPO on a CPU, and lets it drive a lap on tracks that it has never seen.

    python ppo.py --out out/ppo                        # 15 minutes on two cores: trains, evaluates, draws
    python ppo.py --out out/ppo --evaluate             # evaluates the policy again

It needs trackgen, gymnasium and torch; with matplotlib it draws the learning curve and the driven lines, too. The method is
that of J. Schulman et al., "Proximal Policy Optimization Algorithms", 2017, with the advantages of J. Schulman et al.,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation", 2015. docs/training.md tells what comes out.
"""

import argparse
import csv
import math
import time
from pathlib import Path

import torch
from torch import nn

from trackgen.gym import RacingVectorEnv

GENERATORS = ("bezier", "hull", "polar", "voronoi", "checkpoint")  # whose tracks it learns on
FRAME_SKIP = 3  # steps of 0.02 s that an action holds
VALIDATION, UNSEEN = 800_000, 900_000  # first seeds of the tracks of the learning curve, and of the evaluation at the end
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2
CURVE = ("update", "steps", "seconds", "return", "laps", "off_road", "speed", "unseen_laps", "unseen_lap_time", "deviation")


class Policy(nn.Module):
    """A normal distribution of actions, and the value of a state. Both see observations of mean 0 and deviation 1."""

    def __init__(self, inputs, actions, width=64):
        super().__init__()
        self.actor, self.critic = network(inputs, width, actions, 0.01), network(inputs, width, 1, 1.0)
        self.log_deviation = nn.Parameter(torch.full((actions,), math.log(0.6)))
        self.register_buffer("mean", torch.zeros(inputs))
        self.register_buffer("variance", torch.ones(inputs))
        self.register_buffer("count", torch.zeros(()))

    def normalised(self, observations):
        return ((observations - self.mean) * (self.variance + 1e-6).rsqrt()).clamp(-10, 10)

    def learn_scale(self, observations):
        """Adds observations [n, W] to the running mean and variance."""
        n, total = len(observations), self.count + len(observations)
        mean, variance = observations.mean(0), observations.var(0, unbiased=False)
        shift = mean - self.mean
        self.variance.copy_((self.variance * self.count + variance * n + shift**2 * self.count * n / total) / total)
        self.mean += shift * n / total
        self.count.fill_(total)

    def log_probability(self, mean, actions):
        """The logarithm of the density of actions [n, C], but for a constant."""
        deviations = (actions - mean) * (-self.log_deviation).exp()
        return (-0.5 * deviations**2 - self.log_deviation).sum(-1)


def network(inputs, width, outputs, gain):
    layers = [nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs)]
    for layer, size in zip(layers[::2], (math.sqrt(2), math.sqrt(2), gain)):
        nn.init.orthogonal_(layer.weight, size)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


class Rollout:
    """What happens in some steps of all envs. The observation after the last step is there, too."""

    def __init__(self, envs, steps, inputs, actions):
        self.observations = torch.zeros(steps + 1, envs, inputs)
        self.actions = torch.zeros(steps, envs, actions)
        self.probabilities, self.rewards, self.terminated = (torch.zeros(steps, envs) for _ in range(3))
        self.done = torch.zeros(steps + 1, envs)  # 1 before a step that begins an episode, whose action does not count
        self.episodes = []  # return and reasons of those that have ended
        self.speed = 0.0

    @torch.no_grad()
    def collect(self, envs, policy):
        self.episodes, self.speed = [], 0.0
        self.observations[0].copy_(self.observations[-1])
        self.done[0].copy_(self.done[-1])
        deviation, steps = policy.log_deviation.exp(), len(self.actions)
        speed = envs.race.state.speed.torch()
        for t in range(steps):
            mean = policy.actor(policy.normalised(self.observations[t]))
            self.actions[t] = mean + deviation * torch.randn_like(mean)
            self.probabilities[t] = policy.log_probability(mean, self.actions[t])
            observations, rewards, terminations, truncations, infos = envs.step(self.actions[t])
            self.observations[t + 1].copy_(observations)
            self.rewards[t].copy_(rewards)
            self.terminated[t].copy_(terminations)
            self.done[t + 1].copy_(terminations | truncations)
            self.speed += speed.mean().item() / steps
            ended = infos["_episode"].nonzero()[:, 0]
            if len(ended):
                episode = infos["episode"]
                self.episodes += zip(episode["r"][ended].tolist(), episode["reasons"][ended].tolist())

    def advantages(self, values, scale):
        """Generalised advantages [steps, envs] of rewards times scale. An end by time is none: what comes after counts."""
        result, later = torch.zeros_like(self.rewards), 0.0
        for t in reversed(range(len(result))):
            surprise = scale * self.rewards[t] + GAMMA * (1 - self.terminated[t]) * values[t + 1] - values[t]
            later = surprise + GAMMA * LAMBDA * (1 - self.done[t + 1]) * later
            result[t] = later
        return result


class RewardScale:
    """Divides rewards by the deviation of the discounted sums of them, so that values are of the size of 1."""

    def __init__(self, envs):
        self.sums, self.variance, self.rollouts = torch.zeros(envs), 0.0, 0

    def update(self, rollout):
        variances = []
        for rewards, done in zip(rollout.rewards, rollout.done):
            self.sums = self.sums * GAMMA * (1 - done) + rewards
            variances.append(self.sums.var().item())
        self.rollouts = min(self.rollouts + 1, 20)
        self.variance += (sum(variances) / len(variances) - self.variance) / self.rollouts
        return 1 / math.sqrt(self.variance + 1e-8)


def improve(policy, optimizer, rollout, scale, options):
    """Improves the policy by a rollout."""
    steps = len(rollout.actions)
    with torch.no_grad():
        observations = policy.normalised(rollout.observations)
        values = policy.critic(observations)[..., 0]
        advantages = rollout.advantages(values, scale)
        counts = (rollout.done[:-1] == 0).flatten()
        parts = (observations[:-1], rollout.actions, rollout.probabilities, advantages, advantages + values[:-1])
        seen, actions, before, advantages, targets = (part.flatten(0, 1)[counts] for part in parts)
    for _ in range(options.epochs):
        for batch in torch.randperm(len(seen)).split(options.batch):
            ratio = (policy.log_probability(policy.actor(seen[batch]), actions[batch]) - before[batch]).exp()
            better = advantages[batch]
            better = (better - better.mean()) / (better.std() + 1e-8)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            error = (policy.critic(seen[batch])[:, 0] - targets[batch]).square().mean()
            optimizer.zero_grad()
            (0.5 * error - gain).backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    policy.learn_scale(rollout.observations[:steps].flatten(0, 1))


def races(envs, seed, generators, training=False, frame_skip=FRAME_SKIP):
    """Returns races on tracks of some generators. To train, cars begin anywhere; else they drive a lap from the start."""
    mix = [{"weight": 1, "generator": name} for name in generators]
    config = {"tracks": {"mix": mix} if len(mix) > 1 else {"generator": generators[0]}}
    if training:
        config.update(spawn={"mode": "anywhere", "yaw": (-0.2, 0.2), "lateral": (-0.3, 0.3)}, ends={"laps": 2})
    return RacingVectorEnv(envs, config=config, seed=seed, mode="torch", frame_skip=frame_skip)


@torch.no_grad()
def drive(envs, seed, act):
    """Drives the first episode of each env, with act(observations) as actions.

    Returns whether a lap was done [envs], its time in seconds, whether the car left the road, and x, y and the speed in each
    step [steps, envs, 3], NaN after the end.
    """
    observations, _ = envs.reset(seed=seed)
    position, speed = envs.race.state.position.torch()[:, 0], envs.race.state.speed.torch()
    over, ways = torch.zeros(envs.num_envs, dtype=torch.bool), []
    laps, times, crashes = torch.zeros(envs.num_envs), torch.full((envs.num_envs,), math.nan), torch.zeros(envs.num_envs)
    while not over.all():
        ways.append(torch.cat([position[:, :2], speed], 1).masked_fill(over[:, None], math.nan))
        observations, _, terminations, truncations, infos = envs.step(act(observations))
        ended, episode = (terminations | truncations) & ~over, infos["episode"]
        laps[ended] = (episode["laps"][ended] > 0).float()
        times[ended] = episode["best_lap"][ended]
        crashes[ended] = (episode["reasons"][ended] & 1).float()
        over |= ended
    return laps, times, crashes, torch.stack(ways)


def train(options, folder):
    """Trains a policy, writes the learning curve, and returns the policy."""
    torch.manual_seed(options.seed)
    envs = races(options.envs, options.seed, GENERATORS, training=True)
    unseen = races(64, VALIDATION, ("bezier",))
    policy = Policy(envs.single_observation_space.shape[0], envs.single_action_space.shape[0])
    optimizer = torch.optim.Adam(policy.parameters(), lr=options.rate, eps=1e-5)
    rollout = Rollout(options.envs, options.steps, policy.mean.numel(), policy.log_deviation.numel())
    rollout.observations[-1].copy_(envs.reset()[0])
    policy.learn_scale(rollout.observations[-1])
    scale, begin, laps, lap_time = RewardScale(options.envs), time.monotonic(), math.nan, math.nan
    with open(folder / "curve.csv", "w", newline="") as file:
        curve = csv.writer(file)
        curve.writerow(CURVE)
        for update in range(1, options.updates + 1):
            optimizer.param_groups[0]["lr"] = options.rate * (1 - (update - 1) / options.updates)
            rollout.collect(envs, policy)
            improve(policy, optimizer, rollout, scale.update(rollout), options)
            last = update == options.updates or time.monotonic() - begin > 60 * options.minutes
            if update % (5 if update < 100 else 20) == 0 or update == 1 or last:
                done, times, _, _ = drive(unseen, VALIDATION, lambda seen: policy.actor(policy.normalised(seen)))
                laps, lap_time = done.mean().item(), times[done > 0].mean().item()
                curve.writerow(row := measured(update, options, begin, rollout, policy, laps, lap_time))
                file.flush()
                print("  ".join(f"{name} {value}" for name, value in zip(CURVE, row)), flush=True)
            if last:
                break
    envs.close()
    unseen.close()
    torch.save(policy.state_dict(), folder / "policy.pt")
    return policy


def measured(update, options, begin, rollout, policy, laps, lap_time):
    """Returns a row of the learning curve."""
    count = max(len(rollout.episodes), 1)
    returns = sum(episode[0] for episode in rollout.episodes) / count
    finished, crashed = (sum(episode[1] & bit != 0 for episode in rollout.episodes) / count for bit in (16, 1))
    row = (returns, finished, crashed, rollout.speed, laps, lap_time, policy.log_deviation.exp().mean().item())
    steps = update * options.envs * options.steps
    return [update, steps, round(time.monotonic() - begin, 1), *(round(value, 4) for value in row)]


def evaluate(policy, folder):
    """Drives 64 tracks of each generator that the policy has not seen, and writes what comes out.

    Returns the ways on those of the first generator, which laps were done, and the borders.
    """
    shown = None
    with open(folder / "evaluation.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("generator", "valid_tracks", "laps", "off_road", "lap_time", "reference_laps", "reference_lap_time"))
        for name in (*GENERATORS, "repulsive"):
            envs, slow = races(64, UNSEEN, (name,)), races(64, UNSEEN, (name,), frame_skip=1)
            laps, times, crashes, ways = drive(envs, UNSEEN, lambda seen: policy.actor(policy.normalised(seen)))
            driver = slow.race.driver()
            expected, seconds, _, _ = drive(slow, UNSEEN, lambda _: driver.update().torch()[:, 0])
            both = (laps > 0) & (expected > 0)
            envs.reset(seed=UNSEEN)  # the tracks of those ways
            valid = int(envs.race.tracks.valid.numpy().sum())
            row = (name, valid, int(laps.sum()), int(crashes.sum()), f"{times[both].mean():.2f}", int(expected.sum()),
                   f"{seconds[both].mean():.2f}")
            table.writerow(row)
            print(f"{name}: {row[2]} of 64 laps without a crash ({valid} tracks are valid), {row[4]} s; "
                  f"reference driver {row[5]}, {row[6]} s", flush=True)
            if shown is None:
                shown = ways, laps, borders_of(envs.race.tracks)
            driver.close()
            envs.close()
            slow.close()
    return shown


def borders_of(tracks):
    """Returns the closed borders of tracks, two arrays [points, 3] for each."""
    counts, lines = tracks.count.numpy(), [tracks[name].numpy() for name in ("outer", "inner")]
    return [[line[env, [*range(count), 0]] for line in lines] for env, count in enumerate(counts)]


def draw_curve(folder):
    """Draws the learning curve."""
    from matplotlib import pyplot

    with open(folder / "curve.csv", newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    steps = [row["steps"] / 1e6 for row in rows]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    left.plot(steps, [100 * row["unseen_laps"] for row in rows], label="laps without a crash, unseen tracks")
    left.plot(steps, [100 * row["off_road"] for row in rows], label="episodes that end off the road, training")
    left.set(xlabel="million steps of agents", ylabel="%", ylim=(-2, 102))
    right.plot(steps, [row["unseen_lap_time"] for row in rows], label="lap time on unseen tracks")
    right.set(xlabel="million steps of agents", ylabel="s", ylim=(0, 15))
    for axes, place in ((left, "center right"), (right, "lower right")):
        axes.grid(alpha=0.3)
        axes.legend(loc=place)
    figure.savefig(folder / "curve.png", dpi=100)
    pyplot.close(figure)


def draw_lines(folder, ways, laps, borders, rows=3, columns=4):
    """Draws the ways on some tracks, coloured by speed."""
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(rows, columns, figsize=(11, 8), layout="constrained")
    fastest = float(ways[..., 2].nan_to_num().max())
    for env, axes in enumerate(grid.flat):
        for border in borders[env]:
            axes.plot(border[:, 0], border[:, 1], color="0.6", linewidth=0.8)
        way = ways[:, env]
        points = axes.scatter(way[:, 0], way[:, 1], c=way[:, 2], s=2, cmap="viridis", vmin=0, vmax=fastest)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(f"seed {UNSEEN + env}" + ("" if laps[env] else ": no lap"), fontsize=8)
    figure.colorbar(points, ax=grid, shrink=0.6, label="m/s")
    figure.savefig(folder / "lines.png", dpi=100)
    pyplot.close(figure)


def arguments(given=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", default="out/ppo", help="folder for the policy, the curve and the pictures")
    parser.add_argument("--evaluate", action="store_true", help="evaluate the policy that is there")
    parser.add_argument("--updates", type=int, default=1200, help="rollouts, after each of which the policy is improved")
    parser.add_argument("--minutes", type=float, default=15, help="end sooner after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--steps", type=int, default=64, help="steps of a rollout")
    parser.add_argument("--epochs", type=int, default=4, help="uses of a rollout")
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=1e-3, help="first learning rate")
    parser.add_argument("--threads", type=int, default=1, help="of torch; the races use all cores by themselves")
    return parser.parse_args(given)


def main(given=None):
    options = arguments(given)
    torch.set_num_threads(options.threads)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    if options.evaluate:
        state = torch.load(folder / "policy.pt")
        policy = Policy(*(state[name].numel() for name in ("mean", "log_deviation")))
        policy.load_state_dict(state)
    else:
        policy = train(options, folder)
    shown = evaluate(policy, folder)
    try:
        draw_curve(folder)
        draw_lines(folder, *shown)
    except ImportError:
        print("no pictures without matplotlib")


if __name__ == "__main__":
    main()
