import { Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Time } from '../../ui/time.tsx';

type Frozen = components['schemas']['SigningFrozen'];
type Freeze = components['schemas']['SigningFreeze'];

/** Who stopped the signing of a withdrawal, when and why, and where signing is frozen and unfrozen. */
export function FrozenBy({ frozen: { network, merchant, freezes } }: { readonly frozen: Frozen }) {
  const environment = useEnvironment();
  const reasons = [network, merchant].filter((reason) => reason !== null);
  if (reasons.length === 0) return null;
  return (
    <div>
      <Freezes reason={reasons.join('; ')} freezes={freezes} />
      <Text size="sm">
        <PlaceLink to={`/${environment}/withdrawals`}>Open where payments are signed</PlaceLink>
      </Text>
    </div>
  );
}

interface FreezesProps {
  /** All reasons, also those of an audit of the books, which has no entry in the audit log. */
  readonly reason: string;
  readonly freezes: readonly Freeze[];
}

/** Each freeze in a sentence, the oldest first; then all reasons, where the service has added some. */
export function Freezes({ reason: all, freezes }: FreezesProps) {
  const isWhole = all === freezes.map(({ reason }) => reason ?? '').join('; ');
  return (
    <>
      {freezes.map(({ by, at, reason }) => (
        <Text key={`${at} ${by}`} size="sm">
          Frozen by <ForeignText value={by} isWord />, <Time at={at} />
          {reason !== null && (
            <>
              : “<ForeignText value={reason} />”
            </>
          )}
        </Text>
      ))}
      {!isWhole && (
        <Text size="sm">
          {freezes.length === 0 ? 'Frozen by the service: ' : 'All reasons: '}
          <ForeignText value={all} />
        </Text>
      )}
    </>
  );
}
