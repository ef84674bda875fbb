import type { RegisteredMachine } from '@roastery/contract/machines';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { CardForm } from '../../components/form/RecordForm.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { RegisteredMachineView } from './RegisteredMachineView.tsx';
import { RegisterFields, registerTexts, useRegisterForm } from './RegisterForm.tsx';

const crumbs = [{ label: t`Machines`, to: paths.machines }, { label: t`Register` }];

/** /machines/register: a form step, then a success step. */
export default function RegisterMachinePage() {
  const [machine, setMachine] = useState<RegisteredMachine | null>(null);
  const form = useRegisterForm(setMachine);
  if (machine !== null) {
    return (
      <Page>
        <div className="mx-auto max-w-5xl">
          <PageHeader
            title={t`Machine Registered Successfully!`}
            crumbs={crumbs}
            subtitle={machine.display_name}
            badges={<CircleCheck aria-hidden className="size-5 text-success" />}
            actions={
              <ButtonLink to={paths.machines} kind="primary" size="md">
                {t`View Machines`}
              </ButtonLink>
            }
          />
          <Card className="p-5">
            <RegisteredMachineView machine={machine} />
          </Card>
        </div>
      </Page>
    );
  }
  return (
    <Page>
      <div className="mx-auto max-w-xl">
        <PageHeader
          title={t`Register New Machine`}
          crumbs={crumbs}
          subtitle={t`You set up its board in the next step.`}
        />
        <CardForm
          of={form}
          {...registerTexts}
          bodyClassName="flex flex-col gap-4 p-5"
          size="md"
          cancel={
            <ButtonLink to={paths.machines} size="md">
              {t`Cancel`}
            </ButtonLink>
          }
        >
          <RegisterFields of={form} />
        </CardForm>
      </div>
    </Page>
  );
}
