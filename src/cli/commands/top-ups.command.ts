import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { TopUpReader, type TopUpView } from '../../treasury/wallets/top-up-reader.service.js';
import { WalletOperationsModule } from '../../treasury/wallets/wallet-operations.module.js';
import { defineCommand, EXIT, oneOf } from '../command.js';
import { withServices } from '../command-services.js';
import { pageLimit, pageOptionsOf } from '../page-options.js';
import { columns } from '../terminal.js';

const HEAD = ['TOP-UP', 'FOUND', 'CHAIN', 'AMOUNT', 'AFTER BLOCK', 'UP TO BLOCK'];
const FROM_THE_BEGINNING = -1;

/** `treasury top-ups`. */
export const treasuryTopUps = defineCommand({
  usage: 'treasury top-ups [--network NAME] [--env ENV]',
  example: 'npx coffer treasury top-ups --network polygon --env live',
  details:
    'Lists the funds that reached the hot wallets otherwise than by a sweep, newest first: the gas and tokens that you sent.\n' +
    'Workers find them once they are final, and book them as capital. The first top-up of a wallet is its balance when\n' +
    'workers first checked it; its AFTER BLOCK is the beginning.',
  options: {
    network: { type: 'string', value: 'NAME', about: 'One network; all by default.' },
    env: { type: 'string', value: 'ENV', about: 'sandbox or live; both by default.' },
    ...pageOptionsOf('Top-ups', 'top-up, top_...'),
    json: { type: 'boolean', about: 'Print JSON, one top-up per line.' },
  },
  run: ({ values }, context) => {
    const limit = pageLimit(values.limit);
    const filter = {
      environment: values.env === undefined ? null : oneOf(ENVIRONMENTS, values.env, '--env'),
      network: values.network === undefined ? null : oneOf(NETWORKS, values.network, '--network'),
    };
    return withServices(context, { modules: [WalletOperationsModule] }, async ({ get }) => {
      const found = await get(TopUpReader).page({ ...filter, limit: limit + 1, after: values.after ?? null });
      const page = found.slice(0, limit);
      const { terminal } = context;
      if (values.json) for (const topUp of page) terminal.json(jsonOf(topUp));
      else for (const line of columns([HEAD, ...page.map(cellsOf)])) terminal.line(line);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) terminal.problem(`There are more: --after ${last.id}`);
      return EXIT.fine;
    });
  },
});

const cellsOf = ({
  id,
  foundAt,
  environment,
  network,
  token,
  amountDecimal,
  fromBlock,
  toBlock,
}: TopUpView): string[] => [
  id,
  foundAt,
  `${environment}/${network}`,
  `${amountDecimal} ${token}`,
  fromBlock === FROM_THE_BEGINNING ? 'the beginning' : String(fromBlock),
  String(toBlock),
];

function jsonOf({ id, foundAt, environment, network, token, amountDecimal, fromBlock, toBlock }: TopUpView): object {
  return {
    object: 'top_up',
    id,
    found_at: foundAt,
    environment,
    network,
    token,
    amount_decimal: amountDecimal,
    after_block: fromBlock === FROM_THE_BEGINNING ? null : fromBlock,
    up_to_block: toBlock,
  };
}
