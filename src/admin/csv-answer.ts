import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** The most rows of an export. */
export const EXPORTED_MAX = 50_000;

/** Streams the lines of a CSV file as a download. */
export const csvAnswer = (name: string, lines: AsyncIterable<string>): StreamableFile =>
  new StreamableFile(Readable.from(lines), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}.csv"`,
  });
