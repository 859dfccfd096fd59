import { Button, Group, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { CopyButton } from '../ui/copy.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './recovery-codes.module.css';

/** The recovery codes, which the service shows this once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const router = useRouter();
  return (
    <Page title="Your recovery codes">
      <Panel title="Keep these codes" actions={<CopyButton value={codes.join('\n')} label="all codes" />}>
        <Text>Each signs you in once when you do not have your app. They are not shown again.</Text>
        <ul className={styles['codes']}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <Button onClick={() => void router.navigate({ to: '/' })}>I have kept them</Button>
        </Group>
      </Panel>
    </Page>
  );
}
