// The texts of the page in the learner's language, which Python sends.

let phrases = {};

export function speak(words) {
  phrases = words;
}

export const say = (key, fields) => phrases[key].replace(/\{(\w+)\}/g, (_, name) => fields[name]);
