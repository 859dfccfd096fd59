import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { distinctAddresses, type PublishedList } from './published-list.js';

/** The day on which OFAC published the list in `data/ofac`; see the README there. */
const PUBLISHED_ON = '2024-09-27';

/** Reads the list that ships with the service: a file per asset, one address per line. */
export async function readFirstList(): Promise<PublishedList> {
  const folder = firstListFolder();
  const files = (await readdir(folder)).filter((name) => name.endsWith('.txt')).toSorted();
  const text = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
  const lines = text.split('\n').map((line) => line.trim());
  return {
    source: `snapshot-${PUBLISHED_ON}`,
    publishedOn: PUBLISHED_ON,
    contentHash: createHash('sha256').update(text).digest('hex'),
    addresses: distinctAddresses(lines.filter((line) => line !== '').map((address) => ({ address, name: null }))),
  };
}

/** The manifest is above both the sources and the build, with the data beside it. */
function firstListFolder(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error('The package.json of this service is missing.');
  return join(dirname(manifest), 'data', 'ofac');
}
