import { createLot, deleteLot } from '@roastery/contract/inventory';
import { deleteMachine, registerMachine, updateMachine } from '@roastery/contract/machines';
import { cloneProfile, createProfile, deleteProfile } from '@roastery/contract/profiles';
import { deleteOption, seedDefaults } from '@roastery/contract/settings';
import { createUser } from '@roastery/contract/users';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../testing/open-portal.tsx';
import { admin, ana } from '../testing/records.ts';
import { answer, broken, noNetwork, refused } from '../testing/table-server.ts';

const press =
  (name: string | RegExp) =>
  async ({ user }: OpenedPortal): Promise<void> =>
    user.click(await screen.findByRole('button', { name }));
const confirm = async ({ user }: OpenedPortal): Promise<void> =>
  user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));

const saveLot = async (portal: OpenedPortal): Promise<void> => {
  await portal.fill(await screen.findByLabelText(/^Lot number/), 'RW-26-01');
  await portal.fill(screen.getByLabelText(/^Coffee name/), 'Gitesi');
  await portal.fill(screen.getByRole('combobox', { name: 'Origin' }), 'Rwanda');
  await portal.fill(screen.getByLabelText(/^Initial weight/), '30.5');
  await press('Save Lot')(portal);
};
const saveRecipe = async (portal: OpenedPortal): Promise<void> => {
  await portal.fill(await screen.findByLabelText(/^Recipe name/), 'Gitesi Espresso');
  await press('Save Recipe')(portal);
};
const deleteLots = async (portal: OpenedPortal): Promise<void> => {
  const row = (await screen.findByRole('link', { name: /KE-26-05/ })).closest('tr') ?? document.body;
  await portal.user.click(within(row).getByRole('checkbox', { hidden: false }));
  await press('Delete (1)')(portal);
  const question = await screen.findByRole('alertdialog');
  expect(textOf(within(question).getByRole('listitem'))).toBe('KE-26-05 Kiambu AA');
  await confirm(portal);
};
const deleteRecipe = async (portal: OpenedPortal): Promise<void> => {
  await press('Delete Kiambu Filter')(portal);
  await screen.findByText('Delete recipe "Kiambu Filter"?');
  await confirm(portal);
};
const removeOption = async (portal: OpenedPortal): Promise<void> => {
  await press('Delete Bourbon')(portal);
  await confirm(portal);
};
const createPerson = async (portal: OpenedPortal): Promise<void> => {
  await press('Create User')(portal);
  const form = within(await screen.findByRole('dialog', { name: 'Create User' }));
  await portal.fill(form.getByLabelText(/^Full Name/), 'Kofi Mensah');
  await portal.fill(form.getByLabelText(/^Email/), 'kofi@roastery.example');
  await portal.fill(form.getByLabelText(/^Password/), 'seven 7');
  await portal.user.click(form.getByRole('button', { name: 'Create User' }));
  await form.findByText('Use at least 8 characters');
  await portal.fill(form.getByLabelText(/^Password/), 'drying beds in the sun 8');
  await portal.user.click(form.getByRole('button', { name: 'Create User' }));
};

const reason = 'The ledger is being counted';
const fields = [
  { field: 'altitude', message: 'Altitude: 0-9000 m' },
  { field: 'density', message: 'Density: 0-5 g/mL' },
];
const unknown = broken();
const sentence = refused(reason);
/** Changes that the server refuses: without a message, with a sentence, or field by field. */
const refusals = [
  {
    does: 'lot save [P192]',
    address: '/inventory/lots/new',
    by: saveLot,
    to: answer(createLot, unknown),
    says: ['Failed to save lot'],
  },
  {
    does: 'lot save [P192]',
    address: '/inventory/lots/new',
    by: saveLot,
    to: answer(createLot, sentence),
    says: [reason],
  },
  {
    does: 'lot save by field [P192]',
    address: '/inventory/lots/new',
    by: saveLot,
    to: answer(createLot, refused(fields, 'validation')),
    says: ['Validation errors: • altitude: Altitude: 0-9000 m • density: Density: 0-5 g/mL'],
  },
  {
    does: 'bulk delete [P193]',
    address: '/inventory',
    by: deleteLots,
    to: answer(deleteLot, unknown),
    says: ['Failed to delete some lots. Please try again.'],
  },
  {
    does: 'recipe save [P195]',
    address: '/recipes/new',
    by: saveRecipe,
    to: answer(createProfile, unknown),
    says: ['Failed to save recipe'],
  },
  {
    does: 'recipe save [P195]',
    address: '/recipes/new',
    by: saveRecipe,
    to: answer(createProfile, sentence),
    says: [reason],
  },
  {
    does: 'clone [P196]',
    address: '/recipes',
    by: press('Clone Kiambu Filter'),
    to: answer(cloneProfile, unknown),
    says: ['Failed to clone recipe'],
  },
  {
    does: 'clone [P196]',
    address: '/recipes',
    by: press('Clone Kiambu Filter'),
    to: answer(cloneProfile, sentence),
    says: ['Failed to clone recipe', reason],
  },
  {
    does: 'recipe delete [P196]',
    address: '/recipes',
    by: deleteRecipe,
    to: answer(deleteProfile, unknown),
    says: ['Failed to delete recipe'],
  },
  {
    does: 'create user [P189 P199 P214]',
    address: '/admin/users',
    by: createPerson,
    to: answer(createUser, unknown),
    says: ['Failed to create user'],
  },
  {
    does: 'create user [P189 P199 P214]',
    address: '/admin/users',
    by: createPerson,
    to: answer(createUser, sentence),
    says: [reason],
  },
  {
    does: 'seed [P198]',
    address: '/admin/settings?tab=options',
    by: press('Seed Defaults'),
    to: answer(seedDefaults, sentence),
    says: [reason],
  },
  {
    does: 'option delete [P198]',
    address: '/admin/settings?tab=options',
    by: removeOption,
    to: answer(deleteOption, sentence),
    says: [reason],
  },
].map((refusal) => ({ ...refusal, sentence: refusal.says[0] }));

describe('changes of lots, recipes and the administration', () => {
  it.each(refusals)('$does refused: $sentence', async ({ address, by, to, says }) => {
    await by(await openPortal(address, { as: address.startsWith('/admin') ? admin : ana, answers: [to] }));
    for (const words of says) {
      await expect.poll(() => screen.queryAllByRole('alert').map(textOf).join('\n')).toContain(words);
    }
  });
});

const submitRegister = async (portal: OpenedPortal): Promise<void> => {
  await press('Add Machine')(portal);
  const form = within(await screen.findByRole('dialog'));
  await portal.fill(form.getByLabelText(/^Serial Number/), 'GIE-W6-0007');
  await portal.fill(form.getByLabelText(/^Display Name/), 'Giesen W6');
  await portal.user.click(form.getByRole('button', { name: 'Register Machine' }));
};
const submitEdit = async (portal: OpenedPortal): Promise<void> => {
  await press('Edit Probat P25')(portal);
  await press('Save Changes')(portal);
};
const confirmDelete = async (portal: OpenedPortal): Promise<void> => {
  await press('Delete Probat P25')(portal);
  await confirm(portal);
};

describe('refusals', () => {
  const list = refused([{ field: 'x', message: 'no' }]);
  it.each([
    [
      'registering, without an answer [P79]',
      answer(registerMachine, noNetwork),
      submitRegister,
      'Failed to register machine',
    ],
    [
      'registering, with a sentence [P79]',
      answer(registerMachine, refused('That plate is taken.')),
      submitRegister,
      'That plate is taken.',
    ],
    ['registering, with a list [P79]', answer(registerMachine, list), submitRegister, 'Failed to register machine'],
    ['editing, without an answer [P80]', answer(updateMachine, noNetwork), submitEdit, 'Failed to update machine'],
    [
      'editing, with a sentence [P80]',
      answer(updateMachine, refused('It is being paired.')),
      submitEdit,
      'It is being paired.',
    ],
    ['deleting, without an answer [P77]', answer(deleteMachine, noNetwork), confirmDelete, 'Failed to delete machine'],
    [
      'deleting, with a sentence [P77]',
      answer(deleteMachine, refused('It is roasting.')),
      confirmDelete,
      'It is roasting.',
    ],
  ] as const)('are shown: %s', async (_what, refusal, act, says) => {
    await act(await openPortal('/machines', { answers: [refusal] }));
    expect(await screen.findByText(says)).toBeDefined();
  });
});
