import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Returns the vectors of a file of `test/vectors`. @throws ZodError when they have another shape */
export function readVectors<Shape extends z.ZodType>(name: string, shape: Shape): z.infer<Shape> {
  return shape.parse(JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')));
}
