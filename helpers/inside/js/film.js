// All maps of a model as they came: float32, or in ten-thousandths, two bytes each. They stay packed; what
// is shown is unpacked as it is needed.

const HIDDEN_WEIGHT = 65535; // of those in two bytes

// A function: the weight at this place of the film, NaN where hidden.
function filmOf({ buffer, byteOffset, byteLength }, unit) {
  const Kind = unit ? Uint16Array : Float32Array;
  const size = Kind.BYTES_PER_ELEMENT;
  const weights = byteOffset % size
    ? new Kind(buffer.slice(byteOffset, byteOffset + byteLength))
    : new Kind(buffer, byteOffset, byteLength / size);
  if (!unit) return (k) => weights[k];
  return (k) => (weights[k] === HIDDEN_WEIGHT ? NaN : weights[k] * unit);
}

// These rows and columns of the map that begins at `start`, in a frame of their own.
function cutFrom(film, start, wide, rows, columns) {
  const frame = new Float32Array(rows.length * columns.length);
  let k = 0;
  for (const row of rows) for (const column of columns) frame[k++] = film(start + row * wide + column);
  return frame;
}

// A map in at most side × side pixels, each as dark as the largest weight in it; the darkest is the
// largest of the map, so that a map of many tokens can be seen.
function thumbnail(film, start, { tall, wide }, side, palette) {
  const [high, across] = [Math.min(side, tall), Math.min(side, wide)];
  const largest = new Float32Array(high * across).fill(NaN);
  for (let row = 0; row < tall; row++) {
    const line = Math.floor((row * high) / tall) * across;
    for (let column = 0; column < wide; column++) {
      const x = film(start + row * wide + column);
      const k = line + Math.floor((column * across) / wide);
      if (!(largest[k] >= x) && !Number.isNaN(x)) largest[k] = x;
    }
  }
  const end = largest.reduce((most, x) => (x > most ? x : most), 0) || 1;
  const image = new ImageData(across, high);
  const pixels = new Uint32Array(image.data.buffer);
  largest.forEach((x, k) => (pixels[k] = Number.isNaN(x) ? HIDDEN_PIXEL : palette[levelOf(x, end)]));
  return image;
}

const HIDDEN_PIXEL = 0xffd2d2d2; // hatching would not be seen
