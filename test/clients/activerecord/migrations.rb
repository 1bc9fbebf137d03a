# docs: initial
class Initial < ActiveRecord::Migration[6.1]
  def up
    create_table(:legacy) { |t| t.text :item }
    execute "SELECT idgen.idgen_create('parts', refill => 'auto')"
    create_table(:parts, id: :bigint, default: -> { "idgen.idgen_next('parts')" }) { |t| t.text :item }
  end
end
# docs: end

# docs: adopt
class Adopt < ActiveRecord::Migration[6.1]
  def up
    execute "SELECT idgen.idgen_adopt('legacy', 'id')"
  end

  def down
    execute "SELECT idgen.idgen_release('legacy', 'id', 'serial')"
  end
end
# docs: end

class Note < ActiveRecord::Migration[6.1]
  def change
    add_column :legacy, :note, :text
  end
end
