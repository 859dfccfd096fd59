import { COMMANDS } from '../../src/cli/commands.js';
import { PERMISSIONS } from '../../src/staff/permissions.js';
import { headingsOf, readDocument, sectionOf, tableUnder } from '../support/markdown.js';
import { COMMAND_PLACES, type CommandPlace } from './command-places.js';

/** The part of the console's document that a row is compared with. `client.spec.ts` proves that it is what the service has. */
interface ConsoleDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly 'x-permission'?: { readonly name: string } }>>
    >
  >;
}
const { paths }: ConsoleDocument = JSON.parse(readDocument('admin-ui/openapi.json'));
const permissions = new Map(
  Object.values(paths).flatMap((item) =>
    Object.values(item).map((operation) => [operation.operationId, operation['x-permission']?.name]),
  ),
);
const rules: Readonly<Record<string, unknown>> = PERMISSIONS;

const names = COMMANDS.map(({ name }) => name);
const inConsole = Object.entries(COMMAND_PLACES).flatMap(([name, place]) =>
  place.in === 'console' ? [{ name, ...place }] : [],
);

/** The cells of a row of the table in the document. */
const cellsOf = (name: string, place: CommandPlace): string[] =>
  place.in === 'console'
    ? [name, `${place.operation}: ${place.role}${place.stepUp ? ', with a fresh proof of identity' : ''}`]
    : [name, `shell: ${place.reason}`];

describe('the place of every command', () => {
  it('is named, also of a new command, and of no other', () => {
    expect(Object.keys(COMMAND_PLACES)).toEqual(names);
  });

  it.each(inConsole)('of $name in the console is an operation with this role and proof', (row) => {
    const permission = permissions.get(row.operation);
    expect([row.name, row.operation, permission !== undefined]).toEqual([row.name, row.operation, true]);
    expect({ role: row.role, stepUp: row.stepUp }).toEqual(rules[permission ?? '']);
  });

  it('stands in docs/console.md', () => {
    const expected = Object.entries(COMMAND_PLACES).map(([name, place]) => cellsOf(name, place));
    expect(tableUnder(readDocument('docs/console.md'), 'Commands and the console')).toEqual(expected);
  });

  it('is the console first in each runbook that has a command for the same', () => {
    let found = 0;
    const runbooks = readDocument('docs/operations.md');
    for (const heading of headingsOf(runbooks, 2)) {
      const section = sectionOf(runbooks, heading);
      const calls = inConsole.map(({ name }) => section.indexOf(`npx coffer ${name}`)).filter((at) => at !== -1);
      found += calls.length;
      const isConsoleFirst = calls.every((at) => section.slice(0, at).includes('](console.md'));
      expect([heading, isConsoleFirst]).toEqual([heading, true]);
    }
    expect(found).toBeGreaterThan(0);
  });
});
