import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../domain/network.js';

// The formats of environment variables; `config.ts` assigns them to the variables.

/** `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A comma list; spaces around items and empty items are ignored. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** A whole number within bounds, both included. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** URLs of RPC nodes, without duplicates. */
const rpcUrls = list.pipe(
  z
    .array(z.url({ protocol: /^https?$/, error: 'must be a comma list of http or https URLs' }))
    .refine((urls) => new Set(urls).size === urls.length, 'names a node twice: it cannot vouch for itself'),
);

/** The variables for the RPC nodes of each network. */
export const RPC_VARIABLES = ENVIRONMENTS.flatMap((environment) =>
  NETWORKS.map((network) => ({ environment, network, name: `${environment}_${network}_rpc_url`.toUpperCase() })),
);
export const rpcVariables = z.object(Object.fromEntries(RPC_VARIABLES.map(({ name }) => [name, rpcUrls.optional()])));

export const passphrase = z.string().min(12, 'must have at least 12 characters');

export const secretsKey = z.string().regex(/^[0-9a-f]{64}$/i, 'must be 32 bytes in hex (openssl rand -hex 32)');

/** `name=https://mirror.example,other=...`, for these names. */
export const apiUrls = <Name extends string>(names: readonly Name[]) =>
  list
    .transform((pairs) => Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2))))
    .pipe(
      z.partialRecord(z.enum(names), z.url({ protocol: /^https?$/ }), {
        error: `must be a comma list of name=URL; the names are ${names.join(', ')}`,
      }),
    );

/**
 * The proxies whose `X-Forwarded-*` headers are trusted: the given number of proxies nearest to this process (0 = none),
 * or those at these addresses and in these networks.
 */
export type TrustedProxies = number | readonly string[];

const PROXY_HOPS_MAX = 10;

/** `false`, `true` (one proxy), a number of proxies, or a comma list of addresses and networks in CIDR notation. */
export const trustedProxies = z.string().transform((text, context): TrustedProxies => {
  if (text === 'false') return 0;
  if (text === 'true') return 1;
  if (/^\d+$/.test(text) && Number(text) <= PROXY_HOPS_MAX) return Number(text);
  const networks = text.split(',').map((item) => item.trim());
  if (networks.every(isNetwork)) return networks;
  context.addIssue(
    `must be true, false, a number of proxies up to ${PROXY_HOPS_MAX}, or a comma list of addresses and networks ` +
      '(10.0.0.0/8); a network of all addresses is refused',
  );
  return z.NEVER;
});

/** Whether a text is an address or a network. If every address were a trusted proxy, any client could claim any address. */
function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) return true;
  const prefix = Number(/\/(\d+)$/.exec(text)?.[1]);
  return prefix > 0 && (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text));
}
