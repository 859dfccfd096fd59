import { z } from 'zod';
import { formatUnits } from '../domain/money.js';

/** An amount of a token: in smallest units, and the same with its decimal point. */
export const amountSchema = z
  .object({
    units: z.string().regex(/^\d+$/).meta({ description: "In the token's smallest unit." }),
    decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
  })
  .meta({ id: 'TokenAmount' });
type AmountObject = z.infer<typeof amountSchema>;

/** Presents smallest units of a token with these decimals. */
export const presentAmount = (units: bigint, decimals: number): AmountObject => ({
  units: String(units),
  decimal: formatUnits(units, decimals),
});

/** Presents a time of the database as ISO 8601. */
export const presentTime = (at: string | Date): string => new Date(at).toISOString();

/** The same for a time that may be missing. */
export const presentTimeOrNull = (at: string | Date | null): string | null => (at === null ? null : presentTime(at));
