import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;
import javax.persistence.TableGenerator;

/** Ids of a row of id_sequences: JPA's strategy TABLE. */
@Entity
@Table(name = "drawn")
public class ByTable {
	@Id
	@GeneratedValue(strategy = GenerationType.TABLE, generator = "ids")
	@TableGenerator(name = "ids", table = "id_sequences", pkColumnName = "name",
		valueColumnName = "next_block_start", pkColumnValue = "ids", allocationSize = Clients.BLOCK_SIZE)
	Long id;

	String who = "client";
}
