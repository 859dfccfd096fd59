import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sdnAdvanced, sdnAdvancedStream } from '../../test/support/sdn-advanced.js';
import { ListRefused, type PublishedList } from './published-list.js';
import { readSdnAdvanced } from './sdn-advanced.js';

const EVM = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const TRON = 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre';
const BITCOIN = '123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX';

const PARTIES = [
  { name: 'Nobody &amp; Sons' },
  {
    name: 'Lazarus Group',
    addresses: [
      ['ETH', EVM],
      ['USDT', ` ${EVM.toLowerCase()}\n`],
      ['USDT', TRON],
    ],
  },
  { name: 'Garantex &amp; Co', addresses: [['XBT', BITCOIN]] },
  { name: 'Its <!-- old -->Owner', addresses: [['ETH', EVM]] },
] as const;

/** The text in pieces of so many bytes. */
async function* inPieces(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (text: string, size?: number): Promise<PublishedList> => readSdnAdvanced(inPieces(text, size));

describe('readSdnAdvanced', () => {
  it('finds every digital currency address once, by its form, with the primary name of its first party', async () => {
    const text = await sdnAdvanced({ publishedOn: '2026-11-05', parties: PARTIES, bystanders: 100 });
    expect(await read(text)).toEqual({
      source: 'sdn_advanced',
      publishedOn: '2026-11-05',
      contentHash: createHash('sha256').update(text).digest('hex'),
      addresses: [
        { family: 'evm', key: EVM.toLowerCase(), name: 'Lazarus Group' },
        { family: 'tron', key: TRON, name: 'Lazarus Group' },
        { family: 'other', key: BITCOIN, name: 'Garantex & Co' },
      ],
    });
  });

  it('reads the same however the bytes are cut, and whatever prefix the namespace has', async () => {
    const text = await sdnAdvanced({ parties: [{ name: 'Éва', addresses: [['TRX', TRON]] }] });
    const prefixed = text.replaceAll(/<(\/?)(?=\w)/g, '<$1sdn:').replace('xmlns=', 'xmlns:sdn=');
    const expected = [{ family: 'tron', key: TRON, name: 'Éва' }];
    for (const [given, size] of [
      [text, 1],
      [text, 7],
      [`\uFEFF${text}`, 1000],
      [prefixed, 1000],
    ] as const) {
      expect((await read(given, size)).addresses).toEqual(expected);
    }
  });

  it('takes an individual by the parts of the name in the order of the list', async () => {
    const parts = 'PARK</NamePartValue></DocumentedNamePart><DocumentedNamePart><NamePartValue>Jin Hyok';
    const text = await sdnAdvanced({ parties: [{ name: parts, addresses: [['ETH', EVM]] }] });
    expect((await read(text)).addresses).toMatchObject([{ name: 'PARK Jin Hyok' }]);
  });

  describe('refuses', () => {
    const whole = sdnAdvanced({ parties: PARTIES, bystanders: 50 });

    it.each<[what: string, spoil: (text: string) => string, message: RegExp]>([
      [
        'a file that was cut off',
        (text) => text.slice(0, -40),
        /cut off or broken, at line:column \d+:\d+: unclosed tag/,
      ],
      ['one that was cut off within a tag', (text) => text.slice(0, 700), /cut off or broken/],
      ['one that is not well formed', (text) => text.replace('</Profile>', '</Profil>'), /cut off or broken/],
      ['an unknown entity', (text) => text.replace('Nobody', '&nobody;'), /undefined entity/],
      [
        'a document type',
        (text) => text.replace('<Sanctions', '<!DOCTYPE s [<!ENTITY nobody SYSTEM "file:///etc/passwd">]><Sanctions'),
        /declares a document type/,
      ],
      ['another file of the same publisher', () => '<sdnList><sdnEntry/></sdnList>', /begins with sdnList/],
      ['an error page', () => '<html><body><p>Try later.</body></html>', /begins with html/],
      ['nothing', () => '', /cut off or broken/],
      ['a file without a date', (text) => text.replaceAll('DateOfIssue', 'Date'), /date of issue/],
      ['a day that there is not', (text) => text.replace('<Day>1</Day>', '<Day>31</Day>'), /date of issue/],
      ['a stretch without tags', (text) => text.replace('Nobody', 'x'.repeat(3_000_000)), /stretch without tags/],
      ['elements in elements without end', (text) => text.replace('<Comment />', '<a>'.repeat(99)), /nested deeper/],
    ])('%s', async (_what, spoil, message) => {
      const text = await whole;
      const spoiled = spoil(text);
      expect(spoiled).not.toBe(text);
      const refusal = await read(spoiled).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ListRefused);
      expect(refusal).toHaveProperty('message', expect.stringMatching(message));
    });

    it('bytes that are not UTF-8', async () => {
      const bytes = Buffer.from(await whole);
      bytes[bytes.indexOf('Nobody')] = 0xff;
      const refused = readSdnAdvanced(
        (async function* () {
          yield bytes;
        })(),
      );
      await expect(refused).rejects.toMatchObject({ name: 'ListRefused', message: 'The file is not in UTF-8.' });
    });
  });

  it('holds no more of a file of 50 MB than its addresses', async () => {
    const parties = Array.from({ length: 600 }, (_, index) => ({
      name: `Somebody of this name ${index}`,
      addresses: [['ETH', `0x${'ab'.repeat(18)}${index.toString(16).padStart(4, '0')}`]] as const,
    }));
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const held: number[] = [];
    let megabytes = 0;
    async function* watched(): AsyncGenerator<Uint8Array> {
      let total = 0;
      for await (const chunk of sdnAdvancedStream({ parties, bystanders: 34_000 })) {
        yield chunk;
        total += chunk.length;
        if (total < (megabytes + 5) * 1_000_000) continue;
        megabytes += 5;
        collectGarbage();
        held.push(process.memoryUsage().heapUsed / 1_000_000);
      }
    }
    expect((await readSdnAdvanced(watched())).addresses).toHaveLength(600);
    expect(megabytes).toBeGreaterThanOrEqual(50);
    expect(Math.max(...held) - (held[0] ?? 0)).toBeLessThan(3);
  });
});
