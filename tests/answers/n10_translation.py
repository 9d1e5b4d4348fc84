"""Answers to the exercises of notebook 10, as learners write them."""

import heapq
import math

import numpy as np
import torch
from torch.nn import functional as F

# ---------------------------------------------------------------- shift right


def shift_by_cat(asked, sos):
    first = torch.full((asked.shape[0], 1), sos)
    return torch.cat((first, asked[:, :-1]), dim=-1)


def shift_by_roll(asked, sos):
    given = torch.roll(asked, shifts=1, dims=1)
    given[:, 0] = sos
    return given


def shift_into_zeros(asked, sos):
    given = torch.zeros_like(asked)
    given[:, 1:] = asked[:, :-1]
    given[:, 0] = sos
    return given


def shift_lists(asked, sos):
    return [[sos, *row[:-1]] for row in asked.tolist()]


def shift_numpy(asked, sos):
    return np.insert(np.asarray(asked)[:, :-1], 0, sos, axis=1)


def every_place_the_start(asked, sos):
    return torch.full_like(asked, sos)


def shift_backwards(asked, sos):
    return torch.cat([torch.full_like(asked[:, :1], sos), asked[:, :-1].flip(1)], dim=1)


def shift_first_sentence(asked, sos):
    given = asked.clone()
    given[0] = torch.tensor([sos, *asked[0, :-1].tolist()])
    return given


# ---------------------------------------------------------------- the loss


def loss_transposed(scores, asked, pad):
    return F.cross_entropy(scores.transpose(1, 2), asked, ignore_index=pad)


def loss_none_reduced(scores, asked, pad):
    each = F.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), asked.reshape(-1), reduction="none"
    )
    keep = (asked.reshape(-1) != pad).float()
    return (each * keep).sum() / keep.sum()


def loss_by_nll(scores, asked, pad):
    return F.nll_loss(torch.log_softmax(scores, -1).mT, asked, ignore_index=pad)


def loss_by_loop(scores, asked, pad):
    total, count = 0.0, 0
    for row, words in zip(scores, asked):
        for place, word in zip(row, words):
            if word != pad:
                total = total + torch.logsumexp(place, 0) - place[word]
                count += 1
    return total / count


def loss_by_places(scores, asked, pad):
    b, t = torch.nonzero(asked != pad, as_tuple=True)
    return (scores[b, t].logsumexp(-1) - scores[b, t, asked[b, t]]).mean()


def loss_of_the_first_word(scores, asked, pad):
    return F.cross_entropy(scores[:, 0], asked[:, 0])


def loss_squared(scores, asked, pad):
    wanted = F.one_hot(asked, scores.shape[-1])
    return ((scores.softmax(-1) - wanted) ** 2).sum(-1)[asked != pad].mean()


def loss_in_bits(scores, asked, pad):
    return F.cross_entropy(scores.transpose(1, 2), asked, ignore_index=pad) / math.log(2)


# ---------------------------------------------------------------- greedy


def greedy_while(next_chances, sos, eos, longest):
    written = [sos]
    while written[-1] != eos and len(written) <= longest:
        written.append(next_chances(written).argmax().item())
    return written


def greedy_tensor(next_chances, sos, eos, longest):
    written = torch.tensor([sos])
    for _ in range(longest):
        word = torch.argmax(next_chances(written), dim=-1, keepdim=True)
        written = torch.cat([written, word])
        if word.item() == eos:
            return written
    return written


def greedy_topk(next_chances, sos, eos, longest):
    written = [sos]
    for _ in range(longest):
        _, word = next_chances(written).topk(1)
        written += word.tolist()
        if eos in word:
            break
    return written


def greedy_max(next_chances, sos, eos, longest):
    written = [sos]
    for _ in range(longest):
        chances = next_chances(written).tolist()
        written = written + [max(range(len(chances)), key=chances.__getitem__)]
        if written[-1] == eos:
            break
    return written


def greedy_recursive(next_chances, sos, eos, longest):
    def go_on(written):
        if len(written) > longest or written[-1] == eos and len(written) > 1:
            return written
        return go_on([*written, int(np.argmax(next_chances(written).numpy()))])

    return go_on([sos])


def second_best(next_chances, sos, eos, longest):
    written = [sos]
    for _ in range(longest):
        written.append(int(next_chances(written).topk(2).indices[1]))
        if written[-1] == eos:
            break
    return written


def always_from_the_start(next_chances, sos, eos, longest):
    return [sos] + [int(next_chances([sos]).argmax())] * longest


def never_twice(next_chances, sos, eos, longest):
    written = [sos]
    while len(written) <= longest and written[-1] != eos:
        chances = next_chances(written).clone()
        chances[written] = 0
        written.append(int(chances.argmax()))
    return written


# ---------------------------------------------------------------- beams


def beam_with_logs(next_chances, width, sos, eos, longest):
    beams = [(0.0, [sos])]
    for _ in range(longest):
        new = []
        for score, words in beams:
            if words[-1] == eos:
                new.append((score, words))
            else:
                logs = next_chances(words).log()
                new += [(score + logs[i].item(), words + [i]) for i in range(len(logs))]
        beams = heapq.nlargest(width, new)
        if all(words[-1] == eos for _, words in beams):
            break
    return max(beams)[1]


def beam_of_products(next_chances, width, sos, eos, longest):
    beams = {(sos,): 1.0}
    for _ in range(longest):
        new = {words: p for words, p in beams.items() if words[-1] == eos}
        for words, p in beams.items():
            if words[-1] != eos:
                for i, chance in enumerate(next_chances(list(words))):
                    new[(*words, i)] = p * chance.item()
        beams = dict(sorted(new.items(), key=lambda one: -one[1])[:width])
    return list(max(beams, key=beams.get))


def beam_by_topk(next_chances, width, sos, eos, longest):
    beams = [([sos], 0.0)]
    for _ in range(longest):
        new = []
        for words, score in beams:
            if words[-1] == eos:
                new.append((words, score))
                continue
            chances = next_chances(words)
            best = chances.topk(min(width, len(chances)))
            for chance, word in zip(best.values.tolist(), best.indices.tolist()):
                new.append((words + [word], score + math.log(chance)))
        beams = sorted(new, key=lambda one: one[1])[::-1][:width]
    return beams[0][0]


def beam_of_costs(next_chances, width, sos, eos, longest):
    beams = [(0.0, [sos])]
    for _ in range(longest):
        done = [one for one in beams if one[1][-1] == eos]
        going = [one for one in beams if one[1][-1] != eos]
        grown = [
            (cost - math.log(chance), [*words, i])
            for cost, words in going
            for i, chance in enumerate(next_chances(words).tolist())
        ]
        beams = sorted(done + grown)[:width]
    return torch.tensor(beams[0][1])


def beam_of_tensors(next_chances, width, sos, eos, longest):
    beams, scores = [[sos]], torch.zeros(1)
    for _ in range(longest):
        new, totals = [], []
        for words, score in zip(beams, scores):
            if words[-1] == eos:
                new, totals = [*new, words], [*totals, score]
                continue
            logs = torch.log(next_chances(words))
            new += [words + [i] for i in range(len(logs))]
            totals += list(score + logs)
        scores, order = torch.stack(totals).sort(descending=True)
        beams, scores = [new[i] for i in order[:width]], scores[:width]
    return beams[0]


def second_of_the_beam(next_chances, width, sos, eos, longest):
    best = beam_with_logs(next_chances, width, sos, eos, longest)
    return best[:1] + best[:0:-1]


def only_the_start(next_chances, width, sos, eos, longest):
    return [sos]


def wider_than_asked(next_chances, width, sos, eos, longest):
    return beam_with_logs(next_chances, 2 * width, sos, eos, longest)


RIGHT = {
    "shift_right": [shift_by_cat, shift_by_roll, shift_into_zeros, shift_lists, shift_numpy],
    "loss_without_padding": [
        loss_transposed,
        loss_none_reduced,
        loss_by_nll,
        loss_by_loop,
        loss_by_places,
    ],
    "greedy_decoding": [greedy_while, greedy_tensor, greedy_topk, greedy_max, greedy_recursive],
    "beam_search": [
        beam_with_logs,
        beam_of_products,
        beam_by_topk,
        beam_of_costs,
        beam_of_tensors,
    ],
}
UNKNOWN = {
    "shift_right": [every_place_the_start, shift_backwards, shift_first_sentence],
    "loss_without_padding": [loss_of_the_first_word, loss_squared, loss_in_bits],
    "greedy_decoding": [second_best, always_from_the_start, never_twice],
    "beam_search": [second_of_the_beam, only_the_start, wider_than_asked],
}
OTHER_WORDS = [
    ("shift_right", lambda asked, sos: asked[:, :], "not_shifted"),
    (
        "shift_right",
        lambda asked, sos: F.pad(asked, (1, 0), value=sos),
        "last_not_dropped",
    ),
    (
        "loss_without_padding",
        lambda scores, asked, pad: F.cross_entropy(scores.mT, asked),
        "padding_in_the_loss",
    ),
    (
        "greedy_decoding",
        lambda model, sos, eos, longest: greedy_while(model, sos, eos, longest)[1:],
        "start_left_out",
    ),
    (
        "beam_search",
        lambda model, width, sos, eos, longest: greedy_while(model, sos, eos, longest),
        "greedy_again",
    ),
]
