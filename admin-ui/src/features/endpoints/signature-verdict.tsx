import '@mantine/core/styles/List.layer.css';
import { Alert, List, Stack, Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

type Verdict = components['schemas']['SignatureCheck'];

const STEP: Readonly<Record<Verdict['steps'][number]['step'], string>> = {
  format: 'Header',
  timestamp: 'Time',
  signature: 'Signature',
};

/** What a receiver says of a signature, step by step. */
export function SignatureVerdict({ verdict }: { readonly verdict: Verdict }) {
  return (
    <Stack gap="sm">
      <Alert color={verdict.valid ? 'teal' : 'yellow'} variant="light">
        {verdict.valid ? 'The signature is valid.' : 'A receiver refuses this signature.'}
      </Alert>
      <List listStyleType="none" spacing="xs">
        {verdict.steps.map(({ step, ok, text }) => (
          <List.Item key={step}>
            <StatusBadge word={`${STEP[step]}: ${ok ? 'fine' : 'wrong'}`} tone={ok ? 'good' : 'bad'} />
            <Text size="sm">{text}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
