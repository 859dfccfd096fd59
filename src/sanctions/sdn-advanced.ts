import { createHash } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { parseTimestamp } from '../domain/timestamp.js';
import { hasErrorCode } from '../platform/processes.js';
import { distinctAddresses, ListRefused, type PublishedList } from './published-list.js';

/**
 * Longest text without a tag, which is held in memory; a remark of the official file has a few thousand characters at
 * most.
 */
const STRETCH_MAX = 1_000_000;
/** The official file has about ten. */
const DEPTH_MAX = 50;
const ADDRESS_FEATURE = 'Digital Currency Address';

/**
 * Reads OFAC's `sdn_advanced.xml`, more than 100 MB, as a stream, and keeps the addresses. Accepts only XML's own five
 * entities, and refuses a document type.
 * @throws ListRefused when it is another file, not well formed, not UTF-8, or cut off.
 */
export async function readSdnAdvanced(bytes: AsyncIterable<Uint8Array>): Promise<PublishedList> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const file = new SdnFile();
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      file.write(decoder.decode(chunk, { stream: true }));
    }
    file.write(decoder.decode());
  } catch (error) {
    if (!hasErrorCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')) throw error;
    throw new ListRefused('The file is not in UTF-8.', { cause: error });
  }
  const { publishedOn, addresses } = file.end();
  return {
    source: 'sdn_advanced',
    publishedOn,
    contentHash: hash.digest('hex'),
    addresses: distinctAddresses(addresses),
  };
}

/** Follows the tags of one file: types of features first, then the parties, each with its names and features. */
class SdnFile {
  private readonly parser = new SaxesParser();
  /** Names of the open elements, the outermost first. */
  private readonly path: string[] = [];
  private text = '';
  private lastTagAt = 0;

  private readonly addressTypes = new Set<string>();
  private readonly issued = new Map<string, string>();
  private readonly addresses: { address: string; name: string | null }[] = [];

  private openType = '';
  private party = newParty();

  constructor() {
    this.parser.on('error', (error) => {
      throw new ListRefused(`The file is cut off or broken, at line:column ${error.message}`);
    });
    this.parser.on('doctype', () => {
      throw new ListRefused('The file declares a document type, which the official one does not.');
    });
    this.parser.on('opentag', ({ name, attributes }) => this.open(name.replace(/^.*:/, ''), attributes));
    this.parser.on('closetag', () => this.close());
    this.parser.on('text', (text) => (this.text += text));
    this.parser.on('cdata', (text) => (this.text += text));
  }

  write(text: string): void {
    this.parser.write(text);
    if (this.parser.position - this.lastTagAt > STRETCH_MAX) {
      throw new ListRefused('The file has a stretch without tags that is longer than any of the official one.');
    }
  }

  end(): { publishedOn: string; addresses: readonly { address: string; name: string | null }[] } {
    this.parser.close();
    const [year, month, day] = ['Year', 'Month', 'Day'].map((part) => this.issued.get(part) ?? '');
    const publishedOn = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
    if (parseTimestamp(publishedOn) === null) throw new ListRefused('The file has no date of issue.');
    return { publishedOn, addresses: this.addresses };
  }

  private open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.lastTagAt = this.parser.position;
    if (this.path.length === 0 && name !== 'Sanctions') {
      throw new ListRefused(`The file is not sdn_advanced.xml: it begins with ${name}, not with Sanctions.`);
    }
    if (this.path.push(name) > DEPTH_MAX) throw new ListRefused('The file is nested deeper than the official one.');
    this.text = '';
    if (name === 'FeatureType') this.openType = attributes['ID'] ?? '';
    else if (name === 'DistinctParty') this.party = newParty();
    else if (name === 'Alias') this.party.isInName = attributes['Primary'] === 'true' && this.party.name === null;
    else if (name === 'Feature') this.party.isInAddress = this.addressTypes.has(attributes['FeatureTypeID'] ?? '');
  }

  private close(): void {
    this.lastTagAt = this.parser.position;
    const text = this.text.trim();
    this.text = '';
    const name = this.path.pop();
    if (name === 'FeatureType') this.endFeatureType(text);
    else if (name === 'NamePartValue' && this.party.isInName) this.party.nameParts.push(text);
    else if (name === 'DocumentedName') this.endName();
    else if (name === 'VersionDetail' && this.party.isInAddress && text !== '') this.party.addresses.push(text);
    else if (name === 'DistinctParty') this.endParty();
    else if (this.path.length === 2 && this.path[1] === 'DateOfIssue' && name !== undefined)
      this.issued.set(name, text);
  }

  private endFeatureType(text: string): void {
    if (text.startsWith(ADDRESS_FEATURE)) this.addressTypes.add(this.openType);
  }

  /** The first spelling of the primary name; the others are the same name in other scripts. */
  private endName(): void {
    const { party } = this;
    if (!party.isInName || party.nameParts.length === 0) return;
    party.name = party.nameParts.join(' ');
    party.isInName = false;
  }

  private endParty(): void {
    const { name, addresses } = this.party;
    for (const address of addresses) this.addresses.push({ address: copyOf(address), name: name && copyOf(name) });
  }
}

/** A part of a long string keeps the whole string in memory; a copy does not. */
const copyOf = (text: string): string => Buffer.from(text).toString();

interface OpenParty {
  name: string | null;
  readonly nameParts: string[];
  readonly addresses: string[];
  isInName: boolean;
  isInAddress: boolean;
}

const newParty = (): OpenParty => ({ name: null, nameParts: [], addresses: [], isInName: false, isInAddress: false });
