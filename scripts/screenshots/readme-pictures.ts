import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Camera, Shot } from './camera.ts';
import type { Visit } from './visits.ts';

const LIGHT: Shot = { width: 1280, scheme: 'light', isWhole: false };
const DARK: Shot = { width: 1280, scheme: 'dark', isWhole: false };
const NARROW: Shot = { width: 390, scheme: 'light', isWhole: false };

/** The pictures of the README and of docs/console.md, by the visit that they are of. */
const PICTURES: readonly (readonly [visit: string, file: string, shot: Shot])[] = [
  ['deadLetters', 'dead-letters.png', LIGHT],
  ['intent-paid-too-little', 'intent.png', LIGHT],
  ['pockets', 'pockets.png', LIGHT],
  ['decide', 'decide.png', NARROW],
  ['withdrawal-waiting', 'withdrawal.png', LIGHT],
  ['networks', 'networks.png', DARK],
];

/** Takes the pictures that the documents show. @throws Error when the month has nothing for one */
export async function takeReadmePictures(camera: Camera, visits: readonly Visit[], dir: string): Promise<void> {
  mkdirSync(dir, { recursive: true });
  for (const [name, file, shot] of PICTURES) {
    const visit = visits.find((one) => one.name === name);
    if (visit === undefined) throw new Error(`The month has nothing for ${name}.`);
    await camera.takeOne(visit, shot, join(dir, file));
  }
}
