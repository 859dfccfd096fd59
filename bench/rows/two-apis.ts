import type { ApiProcess } from '../api-process.ts';
import { CONNECTIONS, compare, inTurns, load, type Slice } from '../duel.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';
import { CREATE_BODY } from './create.ts';
import { freshIntents } from './generate-address.ts';

/** Load generator, database and both processes share the cores: a second process can hardly be faster there. */
const RATIO_MIN = 0.9;
const INTENTS = '/v1/payment-intents';

/** Measures create, generate-address and list on two api processes, against the same connections on one, in turns. */
export async function measureTwoApis(
  stage: Stage,
  { pairs, requests }: { pairs: number; requests: number },
): Promise<Figure[]> {
  const slices: Record<string, () => Promise<Slice>> = {
    create: () => Promise.resolve({ count: requests, paths: [INTENTS], body: CREATE_BODY }),
    'generate-address': () => freshIntents(stage, requests),
    list: () => Promise.resolve({ count: requests, paths: [INTENTS], body: null }),
  };
  const apis: ApiProcess[] = [];
  const figures: Figure[] = [];
  try {
    for (let n = 0; n < 2; n++) apis.push(await stage.startApi());
    const urls = apis.map((api) => api.url);
    for (const [name, slice] of Object.entries(slices)) {
      const rate = async (...to: string[]): Promise<number> => (await load(stage, to, await slice())).perSecond;
      // Both are warmed up equally, because code gets faster over its first thousands of requests.
      for (const url of urls) await rate(url);
      let singles = 0;
      const single = (): Promise<number> => rate(urls[singles++ % urls.length] ?? '');
      figures.push(figureOf(name, compare(await inTurns(pairs, () => rate(...urls), single))));
    }
  } finally {
    await Promise.all(apis.map((api) => api.stop()));
  }
  return figures;
}

function figureOf(name: string, { one: two, other: single, ratio }: ReturnType<typeof compare>): Figure {
  return {
    name: `${name}, two api processes, ${CONNECTIONS} connections`,
    measured: `${ratio.toFixed(2)} of one (${two.toFixed(0)}/s : ${single.toFixed(0)}/s)`,
    limit: `>= ${RATIO_MIN}`,
    isMet: ratio >= RATIO_MIN,
  };
}
