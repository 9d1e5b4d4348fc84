"""What the text of a notebook says of its runs and no cell asserts, as expressions on its names.

They are evaluated in nbval's kernels (tests/tools/asked_in_kernels.py), where nothing has to be
trained again, and once a week with other random numbers (test_other_draws.py).
"""

ANGLES = "torch.atan2(*arrows(200)['vectors'][0].T).rad2deg().sort().values.diff()"
UNSCALED = "sorted(curve[-1] for curve in list(large.values())[1:])"
PLAIN, DROPPED = "results['p = 0.0'][1]", "results['p = 0.5'][1]"
LOOKS = "looking(torch.rand(500, 12).argsort(dim=1)[:, :8])[1].argmax(dim=2)[:, 1:]"

CLAIMS = {
    "00": [
        # Mouse takes its meaning from the words beside it, and from no later one where a mask hides it.
        "look('cat chases mouse')['weights'][2].argmax() == 0",
        "look('keyboard and mouse')['weights'][2].argmax() == 0",
        "mix(2.5)['context'][0, 0] > 4 * mix(2.5)['context'][0, 1]",
        "mix(0.0)['context'][0, 0] < 1.5 * mix(0.0)['context'][0, 1]",
        "[n for n in range(2, 6) if grow(n)['context'][1].diff() > 0.5] == [5]",
        "not any(grow(n, mask=True)['context'][1].diff() for n in range(2, 6))",
        # The two heads part, and the error falls.
        "film[0]['weights'].max() < 0.25 and film[0]['error'] > 0.8 and film[-1]['error'] < 0.05",
        "sorted(film[-1]['weights'][:, 0].argmax(dim=-1).tolist()) == [1, 4]",
    ],
    "02": [
        # A dictionary forms: each query finds its own key, and the question the entry of pear.
        "torch.equal(at(100)['scores'].argmax(dim=1), torch.arange(6))",
        "at(100)['question weights'][0, 1] > 0.9 > 0.05 > at(100)['question weights'][0, 5]",
        "torch.cosine_similarity(*arrows(200)['vectors']).min() > 0.9",
        f"45 < {ANGLES}.min() < {ANGLES}.max() < 75",
        "curves['W_query stays'][-1] > 0.95",
        "0.3 < sum(curves['only W_value learns'][-50:]) / 50 < 0.4",
        # The scale makes no difference for small numbers. For large ones, only one of three starts
        # does without it.
        "min(curve[-1] for curve in small.values()) > 0.95",
        f"{UNSCALED}[1] < 0.9 < {UNSCALED}[2]",
        "large['with √d_k'][-1] > 0.9",
    ],
    "03": [
        # The cheater looks one token ahead; the last has none ahead of it, and looks at itself.
        "first_looks[100].argmax(dim=1).tolist() == [1, 2, 3, 4, 5, 5]",
        "first_losses[100] < 0.1 < floor < loss_of(honest, book).item() < floor + 0.15",
    ],
    "04": [
        # Without dropout the reviews are memorised, and the validation loss rises; with it, it stays.
        f"{PLAIN}[0, -1] < 0.05 and {PLAIN}[1, -1] > 2 * {PLAIN}[1].min()",
        f"{DROPPED}[1, -1] < 1.2 * {DROPPED}[1].min() < {PLAIN}[1, -1]",
        "right[0] < right[2] < counting",
        "share_right(model, words, shuffled) > 0.7",
    ],
    "07": [
        "right(no_look, 10) < 0.6 < right(looking, 16)",
        # In words of eight different letters, attention looks at the letter that was said last.
        f"({LOOKS} == torch.arange(7, 0, -1)).float().mean() > 0.95",
    ],
    "08": ["curves['learned'][14:].mean() < 0.25 < 0.8 < curves['rotary'][14:].mean()"],
    "09": ["min(curves[c][-1] for c in list(choices)[3:]) > 1.7", "curves['all parts'][-1] < 0.7"],
    "10": [
        "curves['unseen'][-1] > 0.97",
        "share(mean, words & verbs) < 0.3 < share(mean)",
    ],
    "11": [
        "one[0][-1] < 0.5 < 0.75 < two[0][-1]",
        "min(losses) < entropy < sum(losses[-50:]) / 50",
    ],
}
