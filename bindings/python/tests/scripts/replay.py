"""Learning from a memory of actions, and an actor with a critic, as PyTorch's tutorials have them."""

import math
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

losses, texts = [], []
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
random.seed(0)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 16)
        self.layer2 = nn.Linear(16, n_actions)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


policy_net, target_net = DQN(4, 2), DQN(4, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory, steps_done = deque([], maxlen=100), 0


def select_action(state):
    global steps_done
    threshold = 0.05 + 0.85 * math.exp(-steps_done / 50)
    steps_done += 1
    if random.random() > threshold:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], device="cpu", dtype=torch.long)


state = torch.randn(1, 4)
for step in range(60):
    action = select_action(state)
    observation = torch.randn(1, 4) if step % 7 else None
    memory.append(Transition(state, action, observation, torch.tensor([float(action.item())])))
    state = torch.randn(1, 4) if observation is None else observation
    if len(memory) < 16:
        continue
    batch = Transition(*zip(*random.sample(memory, 16)))
    mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    following = torch.cat([s for s in batch.next_state if s is not None])
    values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    next_values = torch.zeros(16)
    with torch.no_grad():
        next_values[mask] = target_net(following).max(1).values
    loss = nn.SmoothL1Loss()(values, ((next_values * 0.99) + torch.cat(batch.reward)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target, own = target_net.state_dict(), policy_net.state_dict()
    for key in own:
        target[key] = own[key] * 0.005 + target[key] * 0.995
    target_net.load_state_dict(target)
    losses.append(loss.item())
losses.append(sum(p.sum() for p in target_net.parameters()).item())


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1, self.action_head, self.value_head = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
        self.saved_actions, self.rewards = [], []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps
for episode in range(4):
    for t in range(10):
        probs, value = model(torch.randn(4))
        m = Categorical(probs)
        action = m.sample()
        model.saved_actions.append((m.log_prob(action), value))
        model.rewards.append(float(action.item()))
    R, returns, policy_losses, value_losses = 0, [], [], []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for (log_prob, value), R in zip(model.saved_actions, returns):
        policy_losses.append(-log_prob * (R - value.item()))
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    texts.append(str(model.rewards))
    del model.rewards[:]
    del model.saved_actions[:]
