import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SandboxAction } from './sandbox-actions.ts';

interface FormProps {
  /** The key of the action that is not answered yet. */
  readonly running: string | null;
  readonly act: (key: string, action: SandboxAction) => Promise<void>;
}

const BLOCKS = ['1', '3', '10', '20'];

/** Pays an amount of a token, which may be another one than that of the intent. */
export function CustomPaymentForm(props: FormProps & { readonly tokens: readonly string[]; readonly token: string }) {
  const { tokens, token, running, act } = props;
  const [amount, setAmount] = useState('1');
  const [chosen, setChosen] = useState(tokens.find((symbol) => symbol !== token) ?? token);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void act('custom', { kind: 'custom', amount: amount.trim(), token: chosen });
  };
  return (
    <form onSubmit={onSubmit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          label="Another amount"
          inputMode="decimal"
          required
          withAsterisk={false}
          maxLength={40}
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          label="Or another token"
          data={[...tokens]}
          value={chosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={running === 'custom'}
          disabled={running !== null && running !== 'custom'}
        >
          Pay this
        </Button>
      </Group>
    </form>
  );
}

/** Makes blocks, so that payments become final at once. */
export function MineForm({ network, running, act }: FormProps & { readonly network: string }) {
  const [blocks, setBlocks] = useState('3');
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void act('mine', { kind: 'mine', blocks: Number(blocks) });
  };
  return (
    <form onSubmit={onSubmit}>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label={`Blocks on ${network}`}
          data={BLOCKS}
          value={blocks}
          onChange={({ currentTarget }) => setBlocks(currentTarget.value)}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={running === 'mine'}
          disabled={running !== null && running !== 'mine'}
        >
          Mine
        </Button>
      </Group>
    </form>
  );
}
