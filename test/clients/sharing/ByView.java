import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;
import javax.persistence.TableGenerator;

/** The same, through the view that shows the last id. */
@Entity
@Table(name = "drawn")
public class ByView {
	@Id
	@GeneratedValue(strategy = GenerationType.TABLE, generator = "ids")
	@TableGenerator(name = "ids", table = "id_sequences_by_last_id", pkColumnName = "seq_name",
		valueColumnName = "seq_count", pkColumnValue = "ids", allocationSize = Clients.BLOCK_SIZE)
	Long id;

	String who = "client";
}
