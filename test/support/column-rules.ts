import { codeLines, isIn, isSpec, type Source, type SourceRule } from './source-rules.js';

/** Files that assign to other objects than entities, or that add what is no column. */
const ASSIGNS = [
  'src/platform/sql',
  'src/platform/database/assign.ts',
  'src/http/openapi-webhooks.ts',
  'src/payments/deposits/payment-deposit.ts',
  'src/devtools',
];

/** `Object.assign` and the entity manager's `assign` take properties that an entity does not have. */
export const entitiesAreAssignedTyped: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !ASSIGNS.some((place) => isIn(source.path, place)))
    .flatMap((source) =>
      [...codeLines(source)]
        .filter(([, code]) => /\b(Object|tx|em)\.assign\(/.test(code))
        .map(([line]) => `${source.path}:${line} assigns without types: use assign of platform/database`),
    );

const ENTITY_CALL = /\b(?:tx|em|em\(\))\s*\.(?:find\w*|count|native\w+|insert\w*|upsert\w*|create)\(/g;

/** The arguments of a call, from behind its bracket to the one that closes it. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; end < text.length && depth > 0; end++) {
    if ('([{'.includes(text[end] ?? '')) depth += 1;
    if (')]}'.includes(text[end] ?? '')) depth -= 1;
  }
  return text.slice(start, end - 1);
}

/** A constant that holds an object whose keys the compiler compares with no type. */
const isUntyped = (text: string, name: string): boolean =>
  new RegExp(`\\bconst ${name} =(?=[^;]*\\{)(?![^;]*\\bsatisfies\\b)[^;]*[{,?]\\s*(?:\\w+[,:]|\\}|\\w+ \\})`).test(
    text,
  );

function untypedIn({ path, text }: Source): string[] {
  return [...text.matchAll(ENTITY_CALL)].flatMap((call) => {
    const given = argumentsAt(text, call.index + call[0].length);
    const line = text.slice(0, call.index).split('\n').length;
    const names = [...given.matchAll(/(?:^|[,{]\s*)(?:\.\.\.)?([A-Za-z_]\w*)\s*(?=[,}]|$)/g)]
      .filter(([match, name]) => match.includes('...') || !isInObject(given, name ?? ''))
      .map(([, name = '']) => name);
    return names
      .filter((name) => isUntyped(text, name))
      .map((name) => `${path}:${line} takes columns of ${name}, which no type checks: add satisfies`);
  });
}

/** Whether a name is a value within an object of the arguments, and not an argument itself. */
const isInObject = (given: string, name: string): boolean => {
  const before = given.slice(0, given.search(new RegExp(`\\b${name}\\b`)));
  return before.split('{').length > before.split('}').length;
};

/** Unknown keys are an error in a literal alone: columns in a constant have `satisfies`. */
export const columnsInConstantsAreTyped: SourceRule = (sources) =>
  sources.filter((source) => !isSpec(source)).flatMap(untypedIn);

/** What takes the type of a row, or of a part of one. */
const ROW_TYPE = /\b(?:relation|as\.json|(?<!class )(?<!\w)Statement|Relation|Cte|Output)<([^()]*?)>+[()\];,|\s]/g;

/** Row types are derived from a table or a statement: `Row<Deposit, 'id'>`, `RowOf<typeof findDeposit>`. */
export const rowTypesAreDerived: SourceRule = (sources) => {
  const ours = sources.filter((source) => !isSpec(source) && !isIn(source.path, 'src/platform/sql'));
  const byHand = new Set(
    ours.flatMap(({ text }) => [...text.matchAll(/\binterface (\w+)/g)].map(([, name = '']) => name)),
  );
  const isByHand = (type: string): boolean =>
    type.includes('{') || (type.match(/\w+/g) ?? []).some((name) => byHand.has(name));
  return ours.flatMap((source) =>
    [...codeLines(source)].flatMap(([line, code]) =>
      [...code.matchAll(ROW_TYPE)]
        .filter(([, type = '']) => isByHand(type.replace(/\bRow<.*/, '')))
        .map(([, type]) => `${source.path}:${line} has a row type by hand: ${type}`),
    ),
  );
};
