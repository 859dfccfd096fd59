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
  if (network === null && merchant === null) return null;
  return (
    <div>
      <Freezes freezes={freezes} />
      {freezes.length === 0 && (
        <Text size="sm">
          The service froze it: <ForeignText value={network ?? merchant ?? ''} />
        </Text>
      )}
      <Text size="sm">
        <PlaceLink to={`/${environment}/withdrawals`}>Open where payments are signed</PlaceLink>
      </Text>
    </div>
  );
}

/** Each freeze in a sentence, the oldest first. */
export function Freezes({ freezes }: { readonly freezes: readonly Freeze[] }) {
  return freezes.map(({ by, at, reason }) => (
    <Text key={`${at} ${by}`} size="sm">
      Frozen by <ForeignText value={by} isWord />, <Time at={at} />
      {reason !== null && (
        <>
          : “<ForeignText value={reason} />”
        </>
      )}
    </Text>
  ));
}
