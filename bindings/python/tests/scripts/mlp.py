"""A network of linear layers learns a function of two numbers; batches are shuffled, the rate falls."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)
x = torch.rand(96, 2, dtype=torch.float64)
y = (x[:, :1] * 3).sin() * x[:, 1:]
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)).double().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
criterion = nn.MSELoss()
losses = []
for epoch in range(5):
    net.train()
    total = 0.0
    for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * inputs.size(0)
    scheduler.step()
    losses += [total / len(x), optimizer.param_groups[0]["lr"]]
net.eval()
with torch.no_grad():
    losses.append(criterion(net(x), y).item())
