"""Complex numbers as arguments, parameters of optimizers that are complex, and complex ends of linspace."""

import torch

losses, texts = [], []
x = torch.arange(4.)
z = torch.complex(x, x + 1)
two = torch.tensor([0, 2])
eye = torch.eye(2) + 0j
for call in (lambda: torch.add(z, z, alpha=1j), lambda: torch.add(x, z, alpha=1j), lambda: torch.sub(z, x, alpha=2 - 1j), lambda: z.add(1, alpha=1j),
             lambda: z.clone().add_(z, alpha=1j), lambda: torch.rsub(z, z, alpha=1j), lambda: torch.rsub(z, 1, alpha=1j),
             lambda: z.masked_fill(x > 1, 1j), lambda: z.clone().masked_fill_(x > 1, 2 + 1j), lambda: z.index_fill(0, two, 3j),
             lambda: z.clone().index_fill_(0, two, 3j), lambda: torch.where(x > 1, z, 1j), lambda: torch.where(x > 1, 1j, z),
             lambda: torch.linspace(0, 1 + 1j, 4), lambda: torch.linspace(0j, 2, 4), lambda: torch.linspace(0, 3j, 4, dtype=torch.complex128),
             lambda: torch.linspace(0, 2, 3, dtype=torch.complex64), lambda: torch.logspace(0, 1 + 1j, 3, base=2.), lambda: torch.logspace(0, 1j, 3),
             lambda: torch.addcmul(z, z, z, value=1j), lambda: torch.addcdiv(z, z, z, value=1j), lambda: torch.lerp(z, z * 2, 0.5j),
             lambda: torch.addmm(eye, eye, eye * 1j, alpha=1j, beta=2j), lambda: z.index_add(0, two, z[:2], alpha=1j),
             lambda: z.scatter(0, torch.tensor([1]), 5j), lambda: torch.addr(torch.zeros(4, 4) + 0j, z, z, alpha=1j),
             lambda: torch.baddbmm(eye[None], eye[None], eye[None], alpha=1j),
             lambda: torch.masked_fill(z, x > 2, torch.tensor(1j))):
    texts.append(str(call()))
try:
    torch.add(x, x, alpha=1j)
except RuntimeError:
    texts.append("RuntimeError")

optim = torch.optim
for make in (lambda p: optim.SGD(p, lr=0.1, momentum=0.9), lambda p: optim.Adam(p, lr=0.1), lambda p: optim.AdamW(p, lr=0.1, amsgrad=True),
             lambda p: optim.RMSprop(p, lr=0.1, centered=True, momentum=.5), lambda p: optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5),
             lambda p: optim.Adadelta(p, lr=1.), lambda p: optim.Adamax(p, lr=.1), lambda p: optim.NAdam(p, lr=.1), lambda p: optim.RAdam(p, lr=.1),
             lambda p: optim.ASGD(p, lr=.1), lambda p: optim.Rprop(p, lr=.1), lambda p: optim.LBFGS(p, lr=.1)):
    w = torch.tensor([[1 + 2j, -1j, 0.5], [2, 1j, -1]], dtype=torch.complex128)
    for own in (w.clone(), w.t().clone().t()[:, ::2]):  # with gaps, too
        own = own.detach().requires_grad_()
        optimizer = make([own])

        def closure():
            optimizer.zero_grad()
            loss = ((own - (2 - 1j)).abs() ** 2).sum()
            loss.backward()
            return loss

        for step in range(6):
            optimizer.step(closure)
        losses += torch.view_as_real(own.detach()).flatten().tolist()
        state = optimizer.state_dict()["state"][0]
        texts.append(str(sorted((k, str(v.dtype)) for k, v in state.items() if isinstance(v, torch.Tensor) and v.dtype.is_complex)))
for wrong in (torch.ones(2, dtype=torch.int64),):
    try:
        optim.SGD([wrong], lr=1)
        texts.append("taken")
    except Exception as error:
        texts.append("refused" if "loating" in str(error) else "taken")
texts.pop()  # PyTorch takes it, and fails later
