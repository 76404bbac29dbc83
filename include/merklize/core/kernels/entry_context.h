/* entry_context.h: included at the beginning of each entry point, after its arrays in local memory. Declares `item`,
 * and `ctx` with the table of constants. */
#if MKZ_UNIT_TABLE_WORDS && MKZ_CONSTANTS == 4
MKZ_LOCAL_ARRAY(mkz_u64, table, MKZ_UNIT_TABLE_WORDS);
mkz_work_item item = MKZ_THIS_ITEM();
mkz_context ctx = mkz_context_of(table);
for (mkz_u32 word = item.rank; word < MKZ_UNIT_TABLE_WORDS; word += MKZ_GROUP_SIZE) table[word] = constants[word];
MKZ_BARRIER(item);
#elif MKZ_UNIT_TABLE_WORDS || MKZ_UNIT_TABLE_IS_GIVEN
mkz_work_item item = MKZ_THIS_ITEM();
mkz_context ctx = mkz_context_of(constants);
#else
mkz_work_item item = MKZ_THIS_ITEM();
mkz_context ctx = mkz_context_of(0);
(void)constants;
#endif
