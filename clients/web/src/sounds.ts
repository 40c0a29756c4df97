/** Short sounds made by the browser itself: no files, nothing to load. */

import { preferences } from "./preferences.ts";

export type Sound = "move" | "capture" | "check" | "end" | "notice" | "low";

/** A tone of a sound: when it begins, how high and how long it is, in seconds and hertz. */
interface Tone {
  readonly at: number;
  readonly pitch: number;
  readonly lasts: number;
  readonly volume: number;
  readonly shape: OscillatorType;
}

const knock = (at: number, pitch: number, volume: number): Tone => ({ at, pitch, lasts: 0.07, volume, shape: "triangle" });
const bell = (at: number, pitch: number): Tone => ({ at, pitch, lasts: 0.28, volume: 0.16, shape: "sine" });

const SOUNDS: Readonly<Record<Sound, readonly Tone[]>> = {
  move: [knock(0, 210, 0.5), knock(0.006, 430, 0.18)],
  capture: [knock(0, 170, 0.6), knock(0.005, 620, 0.28), knock(0.05, 240, 0.35)],
  check: [knock(0, 210, 0.5), bell(0.03, 740)],
  end: [bell(0, 523), bell(0.12, 659), bell(0.24, 784)],
  notice: [bell(0, 659), bell(0.1, 880)],
  low: [bell(0, 988), bell(0.14, 988)],
};

let context: AudioContext | null = null;

/** Starts the device while nothing else happens: it takes as long as drawing a move. */
export function warmUp(): void {
  if (!context) (globalThis.requestIdleCallback ?? setTimeout)(open);
}

/** Before a player's first touch browsers neither sound nor shake, and complain; a reload forgets the touch. */
function isTouched(): boolean {
  return navigator.userActivation?.hasBeenActive !== false;
}

function open(): AudioContext | null {
  if (!preferences().sounds || !("AudioContext" in globalThis)) return null;
  if (!isTouched()) return null;
  try {
    return (context ??= new AudioContext());
  } catch {
    return null; // A device without a sound card: the game goes on.
  }
}

/** Plays a sound, unless the player turned them off or has not touched the page yet. */
export function play(sound: Sound): void {
  const audio = preferences().sounds ? open() : null;
  if (audio?.state === "suspended") void audio.resume().catch(() => undefined);
  if (audio) for (const tone of SOUNDS[sound]) sing(audio, tone);
}

/** Shakes the device, where it can and the player wants it. */
export function vibrate(milliseconds: number): void {
  if (preferences().vibration && isTouched()) navigator.vibrate?.(milliseconds);
}

function sing(audio: AudioContext, { at, pitch, lasts, volume, shape }: Tone): void {
  const from = audio.currentTime + at;
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(pitch, from);
  oscillator.frequency.exponentialRampToValueAtTime(pitch * (shape === "triangle" ? 0.6 : 1), from + lasts);
  gain.gain.setValueAtTime(volume, from);
  gain.gain.exponentialRampToValueAtTime(0.001, from + lasts);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(from);
  oscillator.stop(from + lasts);
}
