# SPDX-License-Identifier: Apache-2.0
"""A slow data set, read by the thread that launches (num_workers=0): the GPU waits for each batch."""
import torch


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, index):
        image = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(index))
        for _ in range(8):  # stands in for decoding and augmentation
            image = torch.nn.functional.avg_pool2d(image, 3, stride=1, padding=1)
        return image, index % 10


torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3, padding=1),
    torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 10)
).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
for images, labels in torch.utils.data.DataLoader(Images(), batch_size=32, num_workers=0):
    loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"{loss.item():.3f}")
