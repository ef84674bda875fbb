import { cardNetworkConfig, cardUserData } from '@roastery/contract/card-settings';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { saveFile } from '../save-file.ts';

interface CardSettingsProps {
  serialNumber: string;
  portalUrl: string;
  /** `PAIR-…` */
  ticket: string;
  onDownload: () => void;
}

/** Without a type of its own, so that no browser adds an extension to the name. */
const fileOf = (text: string): Blob => new Blob([text], { type: 'application/octet-stream' });

/**
 * Two files that make a freshly written card install the agent and pair it at its first start. They are created in the
 * browser: the password of the wireless network is never sent.
 */
export const CardSettings = ({ serialNumber, portalUrl, ticket, onDownload }: CardSettingsProps) => {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [country, setCountry] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const saveUserData = () => {
    saveFile({ name: 'user-data', content: fileOf(cardUserData({ serialNumber, portalUrl, ticket })) });
    onDownload();
  };
  const saveNetwork = () => {
    if (name !== '' && !/^[A-Za-z]{2}$/.test(country)) return setProblem(t`Two letters, such as FI`);
    setProblem(undefined);
    const network = name === '' ? undefined : { name, password, country };
    saveFile({ name: 'network-config', content: fileOf(cardNetworkConfig(network)) });
  };
  return (
    <details className="rounded-md border border-stroke px-3 py-2">
      <summary className="cursor-pointer text-sm font-medium text-strong">{t`SD card that sets up the board`}</summary>
      <div className="mt-2 flex flex-col gap-3">
        <ol className="flex list-decimal flex-col gap-1 pl-5 text-sm text-content marker:text-muted">
          <li>{t`Write Raspberry Pi OS 13 Lite (64-bit) to the card with Raspberry Pi Imager, without settings of its own.`}</li>
          <li>{t`Put the card back into this computer. A drive with the name bootfs appears.`}</li>
          <li>{t`Enter the wireless network, or leave it empty for a network cable. It is stored only in this browser and on the card.`}</li>
          <li>{t`Save both files to that drive, replacing those with the same names.`}</li>
          <li>{t`Put the card into the board, connect the machine, and power it on. After a few minutes this page shows that it is paired.`}</li>
        </ol>
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField
            label={t`Wireless network`}
            value={name}
            maxLength={32}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label={t`Wireless password`}
            type="password"
            value={password}
            maxLength={63}
            autoComplete="off"
            onChange={(event) => setPassword(event.target.value)}
          />
          <TextField
            label={t`Country`}
            value={country}
            maxLength={2}
            placeholder={t`Two letters`}
            error={problem}
            onChange={(event) => setCountry(event.target.value)}
          />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button icon={<Download aria-hidden />} onClick={saveUserData}>
            {t`Download user-data`}
          </Button>
          <Button icon={<Download aria-hidden />} onClick={saveNetwork}>
            {t`Download network-config`}
          </Button>
        </div>
        <p className="text-sm text-muted">
          {t`The card holds the ticket and the password. Keep it safe until the board is paired.`}
        </p>
      </div>
    </details>
  );
};
