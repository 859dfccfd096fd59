/** One source file; `path` is relative to the repository, such as `src/domain/ids.ts`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Checks all sources and returns the violations of its rule, one line each: `path:line problem`. */
export type SourceRule = (sources: readonly Source[]) => string[];

const LINES_MAX = 300;

/** Services that one file builds itself, and why. */
const BUILT_BY_HAND: Readonly<Record<string, string>> = {
  'src/auditor/snapshot.ts': 'an audit reads on its own connections, which have no time limit',
};

export function* codeLines({ text }: Source): Generator<[line: number, code: string]> {
  for (const [i, code] of text.split('\n').entries()) {
    if (!/^\s*(\/\/|\/\*|\*)/.test(code)) yield [i + 1, code];
  }
}

export const isSpec = ({ path }: Source): boolean => path.endsWith('.spec.ts');
export const isIn = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);

/** Services are providers of a module: Nest builds each once, with what it needs. */
export const servicesAreProvided: SourceRule = (sources) => {
  const code = sources.filter((source) => !isSpec(source));
  const services = new Set(
    code.flatMap(({ text }) =>
      [...text.matchAll(/@Injectable\([^)]*\)\s+export class (\w+)/g)].map(([, name]) => name),
    ),
  );
  return code
    .filter(({ path }) => BUILT_BY_HAND[path] === undefined)
    .flatMap((source) =>
      [...codeLines(source)].flatMap(([line, text]) =>
        [...text.matchAll(/\bnew (\w+)\(/g)]
          .filter(([, name]) => services.has(name))
          .map(([, name]) => `${source.path}:${line} builds ${name} itself`),
      ),
    );
};

/** A barrel hides dependencies. */
export const noBarrels: SourceRule = (sources) =>
  sources.filter(({ path }) => /(^|\/)index\.ts$/.test(path)).map(({ path }) => `${path}:1 is a barrel`);

export const filesAreShort: SourceRule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    return lines > LINES_MAX ? [`${path}:${LINES_MAX + 1} has ${lines} lines, ${LINES_MAX} are allowed`] : [];
  });

/** A controller translates a request; what the answer looks like is in the presenter beside it. */
export const presentersHaveFiles: SourceRule = (sources) =>
  sources
    .filter(({ path }) => path.endsWith('.controller.ts'))
    .flatMap((source) =>
      [...codeLines(source)].flatMap(([line, code]) => {
        const name = /^(?:export )?(?:async )?(?:function|const) (present\w*)/.exec(code)?.[1];
        return name === undefined ? [] : [`${source.path}:${line} holds ${name}, which belongs into a presenter`];
      }),
    );
