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
    'Checks every rule of the books on one snapshot of the database, also while the service runs: entries balance, balances\n' +
    'are sums, the hash chain over the entries is intact, deposits are credited once, and payouts were ordered, signed and\n' +
    'booked. Then compares the books with each chain, through its nodes. Prints the first row that breaks each rule, and\n' +
    'the number of others. Exits 1 if a rule is broken. A chain that cannot be asked is printed and breaks no rule.',
  options: {
    head: {
      type: 'string',
      value: 'N:HASH',
      about: 'A head of the hash chain that you noted before: it must still be in the chain.',
    },
    offline: { type: 'boolean', about: 'Do not ask the chains.' },
    json: { type: 'boolean', about: 'Print JSON, one rule per line, and the head last.' },
  },
  run: ({ values }, context) => {
    const noted = values.head === undefined ? null : notedHead(values.head);
    const needs = { modules: [TreasuryChainsModule], chains: values.offline !== true };
    const { terminal } = context;
    return withServices(context, needs, async ({ database, url, get }) => {
      const print = (rule: CheckedRule): void => {
        if (values.json) terminal.json({ object: 'rule', ...rule });
        else printRule(rule, terminal);
      };
      const { rules, head } = await verifyBooks(url, print);
      const chains = values.offline
        ? NO_CHAINS
        : await onOwnConnections(url, (own) => auditChains(own, get(TreasuryChains), print));
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

function printRule({ name, rule, finding, count }: CheckedRule, terminal: Terminal): void {
  if (finding === null) {
    terminal.line(`ok      ${rule}`);
    return;
  }
  const more = count > 1 ? ` And ${count - 1} more: --json lists the first of them.` : '';
  terminal.line(`BROKEN  ${rule}\n        ${name}: ${finding.row} ${finding.says}.${more}`);
}

interface Verdict extends ChainAudit {
  readonly head: KnownSeal;
  /** Why the noted head is not in the chain; null while it is. */
  readonly lost: Finding | null;
}

function conclude({ rules, unasked, head, lost }: Verdict, terminal: Terminal, isJson: boolean): ExitCode {
  const isClean = firstBreach(rules) === null && lost === null;
  const seal = `${head.sequence}:${head.hash}`;
  if (isJson) terminal.json({ object: 'verification', clean: isClean, head: seal, lost, unasked });
  else {
    for (const chain of unasked) terminal.line(`NOT ASKED  ${chain}`);
    if (lost !== null) terminal.line(`BROKEN  --head: ${lost.row} ${lost.says}.`);
    if (isClean) terminal.line(`The books hold. Note the head of the hash chain elsewhere: ${seal}`);
  }
  if (!isClean) terminal.problem('The books do not hold. See docs/operations.md, "Proof of the books".');
  return isClean ? EXIT.fine : EXIT.bad;
}
