"""Prints how the vehicles of CommonRoad move, as a table for the tests of package vehicle.

It needs the package commonroad-vehicle-models, version 3.0.2, without what that depends on, and PyYAML:

    pip install --no-deps commonroad-vehicle-models==3.0.2 && python3 commonroad.py > commonroad.csv

Only the right-hand sides of the models are the package's. The parameters are those of its YAML files. The inputs are
constant during steps of 0.02 s, and the classical method of Runge and Kutta takes 100 parts of each.
"""

import math
import pathlib
import sys
from types import SimpleNamespace

import vehiclemodels
import yaml
from vehiclemodels.utils.vehicle_dynamics_ks_cog import vehicle_dynamics_ks_cog
from vehiclemodels.vehicle_dynamics_ks import vehicle_dynamics_ks
from vehiclemodels.vehicle_dynamics_st import vehicle_dynamics_st

STEP, PARTS = 0.02, 100

# The models, with the number of their states.
MODELS = {"ks": (vehicle_dynamics_ks, 5), "ks_cog": (vehicle_dynamics_ks_cog, 5), "st": (vehicle_dynamics_st, 7)}

# Manoeuvres: the speed and the steering angle at the begin, and the two actions, from -1 to 1, at a time.
MANOEUVRES = {
    "lane change": (15.0, 0.0, lambda t: (0.3 * math.sin(2 * math.pi * t / 2), 0.02)),
    "bend": (8.0, 0.1, lambda t: (0.0, 0.05)),
    "brake in a bend": (12.0, 0.05, lambda t: (0.1 * math.cos(t), -0.1)),
    "from rest": (0.0, 0.05, lambda t: (0.2 * math.sin(1.3 * t), 0.25)),
    "full power": (4.0, 0.0, lambda t: (0.05 * math.sin(t), 1.0)),
}


def parameters(number):
    """Returns the parameters of a vehicle of CommonRoad."""
    folder = pathlib.Path(vehiclemodels.__file__).parent / "parameters"
    read = lambda name: yaml.safe_load((folder / name).read_text())
    found = {**read(f"parameters_vehicle{number}.yaml"), **read("parameters_tire.yaml")}
    space = lambda value: SimpleNamespace(**value) if isinstance(value, dict) else value
    return SimpleNamespace(**{name: space(value) for name, value in found.items()})


def moved(state, change, step):
    return [x + step * d for x, d in zip(state, change)]


def drive(model, p, start, steering, actions):
    """Yields the state after each step."""
    dynamics, size = MODELS[model]
    state = ([0.0, 0.0, steering, start, 0.0, 0.0, 0.0])[:size]
    for k in range(250):
        rate, acceleration = actions(k * STEP)
        inputs = [rate * p.steering.v_max, acceleration * p.longitudinal.a_max]
        change = lambda x: dynamics(x, list(inputs), p)
        h = STEP / PARTS
        for _ in range(PARTS):
            k1 = change(state)
            k2 = change(moved(state, k1, h / 2))
            k3 = change(moved(state, k2, h / 2))
            k4 = change(moved(state, k3, h))
            state = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
        yield state


def main():
    print("vehicle,model,manoeuvre,seconds,x,y,steering,speed,yaw,yaw_rate,slip")
    for number in (1, 2, 3):
        p = parameters(number)
        for model in MODELS:
            for name, (start, steering, actions) in MANOEUVRES.items():
                if model == "ks" and name != "bend":
                    continue  # only at a constant steering angle do both reference points have the same inputs
                for k, state in enumerate(drive(model, p, start, steering, actions), 1):
                    if k in (50, 250):
                        state = [f"{x:.9g}" for x in state] + [""] * (7 - len(state))
                        print(number, model, name, k // 50, *state, sep=",")


if __name__ == "__main__":
    sys.exit(main())
