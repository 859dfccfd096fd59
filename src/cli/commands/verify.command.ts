import { type CheckedRule, firstBreach, verifyBooks } from '../../auditor/books-verification.js';
import type { Finding } from '../../auditor/check.js';
import { type KnownSeal, lostSeal } from '../../auditor/checks/seal-check.js';
import { onOwnConnections } from '../../auditor/snapshot.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { defineCommand, EXIT, type ExitCode, UsageError } from '../command.js';
import { auditChains, type ChainAudit } from '../chain-audit.js';
import { withServices } from '../command-services.js';
import type { Terminal } from '../terminal.js';

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

const NO_CHAINS: ChainAudit = { rules: [], unasked: [] };

/** `verify`. */
export const verify = defineCommand({
  usage: 'verify',
  example: 'npx coffer verify --head 1204:5f0c...',
  details:
    'Checks every rule of the books against one state of the database, beside a running service: entries balance, balances\n' +
    'are sums, the hash chain over the entries holds, deposits are credited once, and what went out was ordered, signed\n' +
    'and booked. Then compares the books with each chain, through its nodes. Names the first row that breaks each rule,\n' +
    'and tells how many more do. Exit code 1 when one is broken; a chain that cannot be asked is told and breaks none.',
  options: {
    head: {
      type: 'string',
      value: 'N:HASH',
      about: 'A head of the chain that was noted before: it must still be in the chain.',
    },
    offline: { type: 'boolean', about: 'Ask no chain.' },
    json: { type: 'boolean', about: 'Print JSON, one rule a line, and the head at last.' },
  },
  run: ({ values }, context) => {
    const noted = values.head === undefined ? null : notedHead(values.head);
    const needs = { modules: [TreasuryChainsModule], chains: values.offline !== true };
    const { terminal } = context;
    return withServices(context, needs, async ({ database, url, get }) => {
      const told = (rule: CheckedRule): void => {
        if (values.json) terminal.json({ object: 'rule', ...rule });
        else tell(rule, terminal);
      };
      const { rules, head } = await verifyBooks(url, told);
      const chains = values.offline
        ? NO_CHAINS
        : await onOwnConnections(url, (own) => auditChains(own, get(TreasuryChains), told));
      const lost = noted === null ? null : await lostSeal(database, noted);
      const verdict = { rules: [...rules, ...chains.rules], unasked: chains.unasked, head, lost };
      return conclude(verdict, terminal, values.json === true);
    });
  },
});

function notedHead(text: string): KnownSeal {
  const [, sequence, hash] = HEAD.exec(text) ?? [];
  if (sequence === undefined || hash === undefined || Number(sequence) < 1) {
    throw new UsageError('--head must be a number and a hash, such as 1204:5f0c... with 64 hexadecimal digits.');
  }
  return { sequence: Number(sequence), hash };
}

function tell({ name, rule, finding, count }: CheckedRule, terminal: Terminal): void {
  if (finding === null) {
    terminal.line(`ok      ${rule}`);
    return;
  }
  const more = count > 1 ? ` And ${count - 1} more: --json names the first of them.` : '';
  terminal.line(`BROKEN  ${rule}\n        ${name}: ${finding.row} ${finding.says}.${more}`);
}

interface Verdict extends ChainAudit {
  readonly head: KnownSeal;
  /** What became of the head that was noted before; null while it is in the chain. */
  readonly lost: Finding | null;
}

function conclude({ rules, unasked, head, lost }: Verdict, terminal: Terminal, isJson: boolean): ExitCode {
  const isClean = firstBreach(rules) === null && lost === null;
  const seal = `${head.sequence}:${head.hash}`;
  if (isJson) terminal.json({ object: 'verification', clean: isClean, head: seal, lost, unasked });
  else {
    for (const chain of unasked) terminal.line(`NOT ASKED  ${chain}`);
    if (lost !== null) terminal.line(`BROKEN  --head: ${lost.row} ${lost.says}.`);
    if (isClean) terminal.line(`The books hold. Head of the chain, to be noted elsewhere: ${seal}`);
  }
  if (!isClean) terminal.problem('The books do not hold: docs/operations.md tells what to do.');
  return isClean ? EXIT.fine : EXIT.bad;
}
